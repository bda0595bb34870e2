/**
 * Makes a fresh clone ready to run: npm packages, `@std` packages for both runtimes, and the configuration for Deno.
 *
 * @module
 */

import { join } from "node:path";
import { installNpmDependencies } from "./npm_dependencies.ts";
import { ROOT } from "./process.ts";
import { OFFLINE_IMPORT_MAP, provideStdPackages } from "./std_packages.ts";
import { withLock } from "./lock.ts";

/** What the other tasks need to know after a setup. */
export interface Setup {
  /** Path of the configuration that Deno is to be run with. */
  readonly denoConfig: string;
  /** Path of an import map for `deno doc`; undefined where deno.json's imports can be used. */
  readonly importMap: string | undefined;
  /** Whether the `@std` packages come from JSR; otherwise stand-ins are used. */
  readonly jsr: boolean;
}

/**
 * Does what is missing and nothing twice. Prints to stderr only.
 *
 * @throws {Error} if something can't be installed.
 */
export function setup(): Promise<Setup> {
  return withLock(join(ROOT, ".setup.lock"), async () => {
    await installNpmDependencies();
    const jsr = await provideStdPackages();
    return jsr
      ? { jsr, denoConfig: join(ROOT, "deno.json"), importMap: undefined }
      : { jsr, denoConfig: join(ROOT, "deno.offline.json"), importMap: OFFLINE_IMPORT_MAP };
  });
}
