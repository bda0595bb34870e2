/**
 * A real Chromium without a window, driven over a pipe: it ends with the test's process, however that ends.
 *
 * @module
 */

import { createHash, X509Certificate } from "node:crypto";
import process from "node:process";
import { type Browser, launch, type Page } from "puppeteer-core";
import { findProgram } from "../../tools/runtimes.ts";

/** Longest time in ms of one step: to start, to load a page, to wait for something in it. */
const STEP_LIMIT_MS = 15_000;

const NAMES = ["chromium", "chromium-browser", "google-chrome", "google-chrome-stable"];

const FLAGS = [
  // Whatever a page or Chromium itself asks for elsewhere does not exist.
  "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1, EXCLUDE localhost",
  "--no-proxy-server",
  "--disable-dev-shm-usage",
  "--disable-gpu",
];

/** The path in the environment variable CHROMIUM, else of the first that is on PATH; undefined if there is none. */
export function chromiumBinary(): string | undefined {
  const told = process.env["CHROMIUM"];
  if (told) return told;
  return NAMES.map((name) => findProgram(name)).find((path) => path !== undefined);
}

/** How it is started. */
export interface ChromiumOptions {
  /** Certificates (PEM) that it takes from whoever has them, as if it knew their authority. Default: none. */
  readonly trustedCertificates?: readonly string[];
}

/** A running Chromium. */
export class Chromium implements AsyncDisposable {
  /** What pages threw and nobody caught, and what they and Chromium wrote to their consoles as errors. */
  readonly errors: string[] = [];
  readonly #browser: Browser;

  private constructor(browser: Browser) {
    this.#browser = browser;
  }

  /** Starts it. */
  static async start({ trustedCertificates = [] }: ChromiumOptions = {}): Promise<Chromium> {
    const executablePath = chromiumBinary();
    if (executablePath === undefined) throw new Error("Cannot find Chromium: install it, or set CHROMIUM to its path");
    const flags = trustedCertificates.length === 0
      ? FLAGS
      : [...FLAGS, `--ignore-certificate-errors-spki-list=${trustedCertificates.map(keyHash).join(",")}`];
    return new Chromium(
      await launch({
        executablePath,
        headless: true,
        pipe: true,
        timeout: STEP_LIMIT_MS,
        // Chromium's sandbox refuses to work for root.
        args: process.getuid?.() === 0 ? [...flags, "--no-sandbox"] : flags,
      }),
    );
  }

  /** Its name and version, such as `Chrome/156.0.0.0`. */
  version(): Promise<string> {
    return this.#browser.version();
  }

  /** Opens a page and waits until it is loaded. */
  async open(url: string): Promise<Page> {
    const page = await this.#browser.newPage();
    page.setDefaultTimeout(STEP_LIMIT_MS);
    page.on("pageerror", (error) => void this.errors.push(error instanceof Error ? error.message : String(error)));
    page.on("console", (message) => {
      if (message.type() === "error") this.errors.push(message.text());
    });
    await page.goto(url);
    return page;
  }

  /** Closes it with all of its pages. */
  async [Symbol.asyncDispose](): Promise<void> {
    await this.#browser.close();
  }
}

/**
 * Starts a Chromium without a window and with a fresh profile.
 *
 * @throws {Error} if there is none, or it does not start.
 */
export function startChromium(options?: ChromiumOptions): Promise<Chromium> {
  return Chromium.start(options);
}

/** Runs a part of a test with a Chromium of its own; what it throws also says what went wrong in the pages. */
export async function inChromium<T>(
  part: (chromium: Chromium) => Promise<T>,
  options?: ChromiumOptions,
): Promise<T> {
  await using chromium = await startChromium(options);
  try {
    return await part(chromium);
  } catch (error) {
    if (chromium.errors.length === 0) throw error;
    const message = error instanceof Error ? error.message : String(error);
    throw new Error(`${message}\nChromium says:\n${chromium.errors.join("\n")}`, { cause: error });
  }
}

/** The hash of a certificate's public key, as Chromium's flag wants it. */
function keyHash(pem: string): string {
  const key = new X509Certificate(pem).publicKey.export({ type: "spki", format: "der" });
  return createHash("sha256").update(key).digest("base64");
}
