/**
 * The accounts that the options mean, checked against what their exchange can do.
 *
 * @module
 */

import type { Signer } from "../api/mod.ts";
import { InvalidOptionsError, quoted } from "../base/mod.ts";
import type { Exchange } from "../exchange/mod.ts";
import { unusable, type UserDataFlow } from "./flow.ts";
import type { UserDataAccountOptions, UserDataOptions } from "./options.ts";

/** An account whose events are wanted. */
export interface Account {
  readonly name: string;
  readonly signer: Signer;
  readonly symbol: string | undefined;
  readonly listenKey: string | undefined;
}

/**
 * The accounts that the options mean.
 *
 * @throws {InvalidOptionsError} if the exchange can't do what they want.
 */
export function accountsOf(
  exchange: Exchange,
  flow: UserDataFlow,
  options: UserDataOptions,
  signer: Signer | undefined,
): Account[] {
  checkFlow(exchange, flow, options);
  const given: readonly UserDataAccountOptions[] = [options, ...options.accounts ?? []];
  const accounts = given.map((account, index) =>
    accountOf(exchange, flow, account, index === 0 ? "" : `accounts[${index - 1}].`, index, signer)
  );
  accounts.forEach((account, index) => checkTwins(account, accounts.slice(0, index), flow, options));
  if (options.via === "logon") checkLogon(exchange, accounts, options);
  return accounts;
}

function checkFlow(exchange: Exchange, flow: UserDataFlow, options: UserDataOptions): void {
  if (flow.kind === "listenKey") {
    for (const path of ["via", "api", "listenTokenValidityMs", "auditIntervalMs"] as const) {
      if (options[path] !== undefined) {
        throw unusable(exchange, path, "it left out: its account events need a listen key");
      }
    }
    return;
  }
  for (const path of ["keepListenKey", "deleteListenKey"] as const) {
    if (options[path] !== undefined) throw unusable(exchange, path, "it left out: there are no listen keys");
  }
  if (flow.margin === undefined) {
    if (options.via === "listenToken") {
      throw unusable(exchange, "via", '"signature" or "logon": listen tokens are for margin accounts');
    }
    if (options.listenTokenValidityMs !== undefined) {
      throw unusable(exchange, "listenTokenValidityMs", "it left out: listen tokens are for margin accounts");
    }
  } else if (options.via !== undefined && options.via !== "listenToken") {
    // They know nothing of margin accounts: the account of the key itself would be subscribed to.
    throw unusable(exchange, "via", '"listenToken", or it left out: the others bring the events of the spot account');
  }
}

function accountOf(
  exchange: Exchange,
  flow: UserDataFlow,
  options: UserDataAccountOptions,
  path: string,
  index: number,
  defaultSigner: Signer | undefined,
): Account {
  const { name = index === 0 ? "userData" : `userData${index + 1}`, signer = defaultSigner, symbol, listenKey } =
    options;
  if (signer === undefined) {
    throw new InvalidOptionsError(
      `Cannot tell whose account events are meant: expected \`userData.${path}signer\`, or \`signer\` of the manager`,
      { path: `userData.${path}signer` },
    );
  }
  const needsSymbol = flow.kind === "api" && flow.margin === "isolated";
  if (needsSymbol !== (symbol !== undefined)) {
    const expected = needsSymbol ? 'a symbol such as "BTCUSDT"' : "it left out: it is for isolated margin accounts";
    throw unusable(exchange, `${path}symbol`, expected);
  }
  if (listenKey !== undefined && flow.kind !== "listenKey") {
    throw unusable(exchange, `${path}listenKey`, "it left out: there are no listen keys");
  }
  return { name, signer, symbol: symbol?.toUpperCase(), listenKey };
}

/** Names tell accounts apart; and the exchange takes an account once on a connection (Binance errors.md, -2035). */
function checkTwins(account: Account, others: readonly Account[], flow: UserDataFlow, { via }: UserDataOptions): void {
  if (others.some(({ name }) => name === account.name)) {
    throw new InvalidOptionsError(
      `Cannot call two accounts ${quoted(account.name)}: expected different names in \`userData.accounts\``,
      { path: "userData.accounts" },
    );
  }
  const hasSigned = flow.kind === "listenKey" || (via ?? flow.via) === "signature";
  if (hasSigned && others.some(({ signer }) => signer.apiKey === account.signer.apiKey)) {
    throw new InvalidOptionsError(
      `Cannot subscribe to the account ${quoted(account.name)} twice: expected a \`signer\` of another account`,
      { path: "userData.accounts" },
    );
  }
}

function checkLogon(exchange: Exchange, accounts: readonly Account[], { api }: UserDataOptions): void {
  if (accounts.length > 1) {
    throw unusable(exchange, "via", '"signature": a connection can be logged on for one account only');
  }
  if (accounts[0]?.signer.kind !== "Ed25519") {
    throw unusable(exchange, "via", '"signature", or an Ed25519 key: no other key can log on');
  }
  // The events of a logon are those of whoever is logged on.
  if (api?.logon === true && api.signer?.apiKey !== accounts[0].signer.apiKey) {
    throw new InvalidOptionsError(
      "Cannot get the events of this account by the logon of `userData.api`: expected the `signer` that it logs on with, " +
        'or `via: "signature"`',
      { path: "userData.signer" },
    );
  }
}
