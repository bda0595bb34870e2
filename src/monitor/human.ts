/**
 * Times and sizes as people read them.
 *
 * @module
 */

const MINUTE = 60;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
const UNITS = ["B", "kB", "MB", "GB", "TB", "PB"];

/** A time span: `42 seconds`, `5m:0s`, `2h:0m:3s`, `152d:12h:0m:0s`; the next unit begins beyond a whole one. */
export function humanUptime(ms: number): string {
  const total = Math.floor(ms / 1_000);
  const seconds = total % MINUTE;
  if (total > DAY) {
    const hours = Math.floor((total % DAY) / HOUR);
    return `${Math.floor(total / DAY)}d:${hours}h:${Math.floor((total % HOUR) / MINUTE)}m:${seconds}s`;
  }
  if (total > HOUR) return `${Math.floor(total / HOUR)}h:${Math.floor((total % HOUR) / MINUTE)}m:${seconds}s`;
  return total > MINUTE ? `${Math.floor(total / MINUTE)}m:${seconds}s` : `${total} seconds`;
}

/** A size: `1024 B`, `1.5 kB`; the next unit, 1024 times as large, begins beyond a whole one. */
export function humanBytes(bytes: number): string {
  let value = bytes;
  let unit = 0;
  for (; value > 1024 && unit < UNITS.length - 1; unit++) value /= 1024;
  return `${unit === 0 ? Math.round(value) : Number(value.toFixed(2))} ${UNITS[unit]}`;
}

/** A rate: whole numbers from 10 on, else with one digit if it has one. */
export function humanRate(perSecond: number): string {
  return perSecond >= 10 ? String(Math.round(perSecond)) : String(Number(perSecond.toFixed(1)));
}

/** A time on the wall clock: `2026-11-30 20:15:00 UTC`. */
export function humanTime(ms: number): string {
  return new Date(ms).toISOString().replace("T", " ").replace(/\..*/, " UTC");
}

/** A short time span: `120 ms`, `2.5 s`, beyond a minute as an uptime. */
export function humanAge(ms: number): string {
  if (ms < 1_000) return `${Math.round(ms)} ms`;
  return ms < 60_000 ? `${(ms / 1_000).toFixed(1)} s` : humanUptime(ms);
}
