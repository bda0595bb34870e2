/**
 * Typings of the stand-in for `@std/log`: a part of the real package's.
 *
 * @module
 */

export declare const LogLevels: {
  readonly NOTSET: 0;
  readonly DEBUG: 10;
  readonly INFO: 20;
  readonly WARN: 30;
  readonly ERROR: 40;
  readonly CRITICAL: 50;
};
export type LevelName = keyof typeof LogLevels;
export type LogLevel = typeof LogLevels[LevelName];
export declare function getLevelByName(name: LevelName): LogLevel;
export declare function getLevelName(level: LogLevel): LevelName;

export interface LogRecordOptions {
  msg: string;
  args: unknown[];
  level: LogLevel;
  loggerName: string;
}
export declare class LogRecord {
  readonly msg: string;
  readonly level: number;
  readonly levelName: string;
  readonly loggerName: string;
  constructor(options: LogRecordOptions);
  get args(): unknown[];
  get datetime(): Date;
}

export type FormatterFunction = (logRecord: LogRecord) => string;
export interface BaseHandlerOptions {
  formatter?: FormatterFunction;
}
export declare abstract class BaseHandler {
  formatter: FormatterFunction;
  constructor(levelName: LevelName, options?: BaseHandlerOptions);
  get level(): LogLevel;
  set level(level: LogLevel);
  get levelName(): LevelName;
  set levelName(levelName: LevelName);
  handle(logRecord: LogRecord): void;
  format(logRecord: LogRecord): string;
  abstract log(msg: string): void;
  setup(): void;
  destroy(): void;
  [Symbol.dispose](): void;
}
export interface ConsoleHandlerOptions extends BaseHandlerOptions {
  useColors?: boolean;
}
export declare class ConsoleHandler extends BaseHandler {
  constructor(levelName: LevelName, options?: ConsoleHandlerOptions);
  log(msg: string): void;
}

// deno-lint-ignore no-explicit-any -- any function, as in the real typings
export type GenericFunction = (...args: any[]) => any;
export interface LoggerOptions {
  handlers?: BaseHandler[];
}
export declare class Logger {
  handlers: BaseHandler[];
  constructor(loggerName: string, levelName: LevelName, options?: LoggerOptions);
  get level(): LogLevel;
  set level(level: LogLevel);
  get levelName(): LevelName;
  set levelName(levelName: LevelName);
  get loggerName(): string;
  asString(data: unknown, isProperty?: boolean): string;
  debug<T>(msg: () => T, ...args: unknown[]): T | undefined;
  debug<T>(msg: T extends GenericFunction ? never : T, ...args: unknown[]): T;
  info<T>(msg: () => T, ...args: unknown[]): T | undefined;
  info<T>(msg: T extends GenericFunction ? never : T, ...args: unknown[]): T;
  warn<T>(msg: () => T, ...args: unknown[]): T | undefined;
  warn<T>(msg: T extends GenericFunction ? never : T, ...args: unknown[]): T;
  error<T>(msg: () => T, ...args: unknown[]): T | undefined;
  error<T>(msg: T extends GenericFunction ? never : T, ...args: unknown[]): T;
  critical<T>(msg: () => T, ...args: unknown[]): T | undefined;
  critical<T>(msg: T extends GenericFunction ? never : T, ...args: unknown[]): T;
}

export interface LoggerConfig {
  level?: LevelName;
  handlers?: string[];
}
export interface LogConfig {
  handlers?: Record<string, BaseHandler>;
  loggers?: Record<string, LoggerConfig>;
}
export declare function getLogger(name?: string): Logger;
export declare function setup(config: LogConfig): void;
