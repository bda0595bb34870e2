/**
 * An account: what it owns on each market, and how often orders were placed on it.
 *
 * @module
 */

import { type Decimal, decimal } from "./decimal.ts";

/** What an account owns of one asset. */
export interface Balance {
  free: Decimal;
  locked: Decimal;
}

/** What an account has of an asset that nobody spoke of, when no balances were given. */
const PLENTY = decimal("1000000");

/** A wallet: the balances of an account. */
export class Wallet {
  readonly #balances = new Map<string, Balance>();
  readonly #isPlentiful: boolean;

  /** Creates a wallet; without `balances` it holds plenty of every asset. */
  constructor(balances?: Readonly<Record<string, string>>) {
    this.#isPlentiful = balances === undefined;
    for (const [asset, free] of Object.entries(balances ?? {})) {
      this.#balances.set(asset, { free: decimal(free), locked: 0n });
    }
  }

  /** The balance of an asset, to be changed in place. */
  of(asset: string): Balance {
    let balance = this.#balances.get(asset);
    if (balance === undefined) {
      balance = { free: this.#isPlentiful ? PLENTY : 0n, locked: 0n };
      this.#balances.set(asset, balance);
    }
    return balance;
  }

  /** Every asset that was spoken of. */
  get all(): ReadonlyMap<string, Balance> {
    return this.#balances;
  }
}

/** One account with one wallet, which all markets share here. */
export class Account {
  /** Number of the account, from 1. */
  readonly uid: number;
  readonly wallet: Wallet;
  /** How often an order with each client order id came into being. */
  readonly placements: Map<string, number> = new Map();
  /** When the wallet was changed last, in ms. */
  updatedAt = 0;

  /** Creates an account. */
  constructor(uid: number, balances?: Readonly<Record<string, string>>) {
    this.uid = uid;
    this.wallet = new Wallet(balances);
  }

  /** Counts that an order came into being. */
  notePlacement(clientOrderId: string): void {
    this.placements.set(clientOrderId, (this.placements.get(clientOrderId) ?? 0) + 1);
  }
}
