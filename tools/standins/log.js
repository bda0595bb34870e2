/**
 * Stand-in for `@std/log` where JSR can't be reached: loggers, handlers and `setup()` behave like the real package's.
 * Left out: file handlers, formatters and the functions that log to the default logger.
 *
 * @module
 */

/** Levels by name; a record is logged if its level is at least that of the logger and of the handler. */
export const LogLevels = { NOTSET: 0, DEBUG: 10, INFO: 20, WARN: 30, ERROR: 40, CRITICAL: 50 };

export function getLevelByName(name) {
  const level = LogLevels[name];
  if (level === undefined) throw new Error(`Cannot get log level: no level named ${name}`);
  return level;
}

export function getLevelName(level) {
  const found = Object.entries(LogLevels).find(([, value]) => value === level);
  if (found === undefined) throw new Error(`Cannot get log level: no level name for level: ${level}`);
  return found[0];
}

export class LogRecord {
  #args;
  #datetime = new Date();

  constructor({ msg, args, level, loggerName }) {
    this.msg = msg;
    this.#args = [...args];
    this.level = level;
    this.levelName = getLevelName(level);
    this.loggerName = loggerName;
  }

  get args() {
    return [...this.#args];
  }

  get datetime() {
    return new Date(this.#datetime);
  }
}

export class BaseHandler {
  #level;

  constructor(levelName, { formatter = ({ levelName, msg }) => `${levelName} ${msg}` } = {}) {
    this.#level = getLevelByName(levelName);
    this.formatter = formatter;
  }

  get level() {
    return this.#level;
  }

  set level(level) {
    this.#level = getLevelByName(getLevelName(level));
  }

  get levelName() {
    return getLevelName(this.#level);
  }

  set levelName(levelName) {
    this.#level = getLevelByName(levelName);
  }

  handle(record) {
    if (record.level >= this.#level) this.log(this.format(record));
  }

  format(record) {
    return this.formatter(record);
  }

  log(_message) {}

  setup() {}

  destroy() {}

  [Symbol.dispose]() {
    this.destroy();
  }
}

/** ANSI colours by level: blue, yellow, red, bold red. */
const COLORS = {
  [LogLevels.INFO]: [34, 39],
  [LogLevels.WARN]: [33, 39],
  [LogLevels.ERROR]: [31, 39],
  [LogLevels.CRITICAL]: ["1;31", "22;39"],
};

export class ConsoleHandler extends BaseHandler {
  #useColors;

  constructor(levelName, options = {}) {
    super(levelName, options);
    this.#useColors = options.useColors ?? true;
  }

  format(record) {
    const message = super.format(record);
    const color = COLORS[record.level];
    if (!this.#useColors || color === undefined || globalThis.Deno?.noColor) return message;
    return `\x1b[${color[0]}m${message}\x1b[${color[1]}m`;
  }

  log(message) {
    console.log(message);
  }
}

export class Logger {
  #level;
  #loggerName;

  constructor(loggerName, levelName, { handlers = [] } = {}) {
    this.#loggerName = loggerName;
    this.#level = getLevelByName(levelName);
    this.handlers = handlers;
  }

  get level() {
    return this.#level;
  }

  set level(level) {
    if (!Object.values(LogLevels).includes(level)) throw new TypeError(`Invalid log level: ${level}`);
    this.#level = level;
  }

  get levelName() {
    return getLevelName(this.#level);
  }

  set levelName(levelName) {
    this.#level = getLevelByName(levelName);
  }

  get loggerName() {
    return this.#loggerName;
  }

  debug(msg, ...args) {
    return this.#log(LogLevels.DEBUG, msg, args);
  }

  info(msg, ...args) {
    return this.#log(LogLevels.INFO, msg, args);
  }

  warn(msg, ...args) {
    return this.#log(LogLevels.WARN, msg, args);
  }

  error(msg, ...args) {
    return this.#log(LogLevels.ERROR, msg, args);
  }

  critical(msg, ...args) {
    return this.#log(LogLevels.CRITICAL, msg, args);
  }

  /** A function as message is called only if its result will be logged; the message is returned. */
  #log(level, msg, args) {
    const isFunction = typeof msg === "function";
    if (this.#level > level) return isFunction ? undefined : msg;
    const value = isFunction ? msg() : msg;
    const record = new LogRecord({ msg: this.asString(value), args, level, loggerName: this.#loggerName });
    for (const handler of this.handlers) handler.handle(record);
    return value;
  }

  asString(data, isProperty = false) {
    if (typeof data === "string") return isProperty ? `"${data}"` : data;
    if (data instanceof Error) return data.stack ?? String(data);
    if (typeof data === "object" && data !== null) {
      const fields = Object.entries(data).map(([key, value]) => `"${key}":${this.asString(value, true)}`);
      return `{${fields.join(",")}}`;
    }
    return typeof data === "function" ? "undefined" : String(data);
  }
}

const DEFAULTS = {
  handlers: { default: new ConsoleHandler("INFO") },
  loggers: { default: { level: "INFO", handlers: ["default"] } },
};
const loggers = new Map();
let handlers = [];

/** A logger that was not configured logs nothing: it has no handlers until `setup()` replaces it. */
export function getLogger(name = "default") {
  const key = name === "" ? "default" : name;
  let logger = loggers.get(key);
  if (logger === undefined) {
    logger = new Logger(key, "NOTSET");
    loggers.set(key, logger);
  }
  return logger;
}

/** Destroys the handlers of before and replaces all loggers. */
export function setup(config) {
  const byName = { ...DEFAULTS.handlers, ...config.handlers };
  for (const handler of handlers) handler.destroy();
  handlers = Object.values(byName);
  for (const handler of handlers) handler.setup();
  loggers.clear();
  for (const [name, options] of Object.entries({ ...DEFAULTS.loggers, ...config.loggers })) {
    const own = (options.handlers ?? []).flatMap((handler) => byName[handler] ?? []);
    loggers.set(name, new Logger(name, options.level ?? "INFO", { handlers: own }));
  }
}

setup({});
