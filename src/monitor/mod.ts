/**
 * Status and reports of a manager, from its public statistics.
 *
 * @module
 */

export type { ConnectBudgetStatistics, ManagerStatistics, Monitored } from "./monitored.ts";
export { type MonitoringStatus, MonitoringStatusReport } from "./monitoring_status.ts";
export { type PrintOptions, printText } from "./print.ts";
export { streamInfoText } from "./stream_info_text.ts";
export { summaryText } from "./summary_text.ts";
