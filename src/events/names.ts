/**
 * What the fields of Binance's events are called in full, as data: `<field>=<name>`, with `><part>` for an object or a list of
 * objects, and `*<part>` for an object whose fields are put in its place. The names are those of UnicornFy, the normalizer of
 * the Python package, where it has clear ones.
 *
 * @module
 */

/** Market streams. Events with the same fields share a line; `e` and `E` are the same in all. */
export const MARKET_NAMES: Readonly<Record<string, string>> = {
  aggTrade: "s=symbol a=aggregate_trade_id p=price q=quantity nq=quantity_without_rpi f=first_trade_id " +
    "l=last_trade_id T=trade_time m=is_market_maker M=ignore st=symbol_type",
  trade: "s=symbol t=trade_id p=price q=quantity T=trade_time m=is_market_maker M=ignore b=buyer_order_id " +
    "a=seller_order_id X=execution_type S=side st=symbol_type",
  blockTrade: "s=symbol t=trade_id p=price q=quantity T=trade_time m=is_market_maker",
  forceOrder: "o=order*liquidation st=symbol_type",
  kline: "s=symbol k=kline>kline",
  continuous_kline: "ps=pair ct=contract_type k=kline>kline",
  "indexPrice_kline|markPrice_kline": "ps=pair k=kline>kline",
  "24hrMiniTicker": "s=symbol c=close_price o=open_price h=high_price l=low_price v=total_traded_base_asset_volume " +
    "q=total_traded_quote_asset_volume ps=pair st=symbol_type",
  "24hrTicker": "s=symbol p=price_change P=price_change_percent w=weighted_average_price x=trade_before_24h_window " +
    "c=last_price Q=last_quantity b=best_bid_price B=best_bid_quantity a=best_ask_price A=best_ask_quantity " +
    "o=open_price h=high_price l=low_price v=total_traded_base_asset_volume q=total_traded_quote_asset_volume " +
    "O=statistics_open_time C=statistics_close_time F=first_trade_id L=last_trade_id n=total_nr_of_trades " +
    "ps=pair st=symbol_type",
  "1hTicker|4hTicker|1dTicker":
    "s=symbol p=price_change P=price_change_percent o=open_price h=high_price l=low_price c=last_price " +
    "w=weighted_average_price v=total_traded_base_asset_volume q=total_traded_quote_asset_volume " +
    "O=statistics_open_time C=statistics_close_time F=first_trade_id L=last_trade_id n=total_nr_of_trades",
  bookTicker: "u=order_book_update_id s=symbol b=best_bid_price B=best_bid_quantity a=best_ask_price " +
    "A=best_ask_quantity T=transaction_time ps=pair st=symbol_type",
  depth: "lastUpdateId=last_update_id T=transaction_time bids=bids asks=asks",
  depthUpdate: "T=transaction_time s=symbol U=first_update_id_in_event u=final_update_id_in_event " +
    "pu=final_update_id_in_previous_event b=bids a=asks ps=pair st=symbol_type",
  avgPrice: "s=symbol i=interval w=average_price T=last_trade_time",
  referencePrice: "s=symbol r=reference_price t=engine_time",
  markPriceUpdate:
    "s=symbol p=mark_price ap=average_mark_price i=index_price P=estimated_settle_price r=funding_rate " +
    "T=next_funding_time st=symbol_type",
  indexPriceUpdate: "i=pair p=index_price",
  indexPrice: "s=symbol p=index_price",
  markPrice: "s=symbol mp=mark_price i=index_price P=estimated_settle_price bo=best_bid_price ao=best_ask_price " +
    "bq=best_bid_quantity aq=best_ask_quantity b=bid_implied_volatility a=ask_implied_volatility " +
    "hl=high_price_limit ll=low_price_limit vo=implied_volatility rf=risk_free_rate d=delta t=theta g=gamma " +
    "v=vega",
  compositeIndex: "s=symbol p=price C=composition_type c=composition>component",
  assetIndexUpdate: "s=symbol i=index b=bid_buffer a=ask_buffer B=bid_rate A=ask_rate q=auto_exchange_bid_buffer " +
    "g=auto_exchange_ask_buffer Q=auto_exchange_bid_rate G=auto_exchange_ask_rate",
  contractInfo: "s=symbol ps=pair ct=contract_type dt=delivery_time ot=onboard_time cs=contract_status " +
    "bks=brackets>bracket st=symbol_type",
  "EquityUpdate|CommodityUpdate": "t=session_start_time T=session_end_time S=session_type",
  "optionSymbol|OPTION_PAIR":
    "s=symbol ps=pair qa=quote_asset d=option_side sp=strike_price dt=delivery_time u=unit ot=onboard_time " +
    "cs=contract_status",
  openInterest: "s=symbol o=open_interest h=open_interest_value",
  serverShutdown: "",
};

/** Account events. Events with the same fields share a line; `e` and `E` are the same in all. */
export const ACCOUNT_NAMES: Readonly<Record<string, string>> = {
  outboundAccountPosition: "u=last_update_time U=update_id B=balances>spotBalance",
  balanceUpdate: "a=asset d=balance_delta T=clear_time U=update_id",
  externalLockUpdate: "a=asset d=lock_delta T=transaction_time",
  eventStreamTerminated: "",
  MARGIN_LEVEL_STATUS_CHANGE: "l=margin_level s=margin_level_status",
  USER_LIABILITY_CHANGE: "a=asset t=liability_type p=principal i=interest",
  ACCOUNT_UPDATE: "T=transaction_time a=update*accountChange i=account_alias fs=business_unit",
  ACCOUNT_CONFIG_UPDATE: "T=transaction_time ac=leverage_config*leverageConfig ai=asset_mode_config*assetModeConfig " +
    "fs=business_unit",
  MARGIN_CALL: "cw=cross_wallet_balance p=positions>marginCallPosition i=account_alias",
  listenKeyExpired: "listenKey=listen_key",
  ALGO_UPDATE: "T=transaction_time o=order*algoOrder ao=algo_order*algoOrder fs=business_unit",
  CONDITIONAL_ORDER_TRIGGER_REJECT: "T=transaction_time or=rejection*triggerRejection",
  STRATEGY_UPDATE: "T=transaction_time su=strategy*strategy",
  GRID_UPDATE: "T=transaction_time gu=grid*grid",
  "ACCOUNT_UPDATE/options":
    "T=transaction_time eq=account_equity aeq=adjusted_equity b=wallet_balance m=position_value " +
    "u=unrealized_profit i=initial_margin M=maintenance_margin",
  BALANCE_POSITION_UPDATE: "T=transaction_time m=event_reason B=balances>optionsBalance P=positions>optionsPosition",
  GREEK_UPDATE: "T=transaction_time G=greeks>greeks",
  RISK_LEVEL_CHANGE: "s=risk_level mb=margin_balance mm=maintenance_margin",
  executionReport: "s=symbol c=client_order_id S=side o=order_type f=time_in_force q=order_quantity p=order_price " +
    "P=stop_price F=iceberg_quantity g=order_list_id C=original_client_order_id x=current_execution_type " +
    "X=current_order_status r=order_reject_reason i=order_id l=last_executed_quantity " +
    "z=cumulative_filled_quantity L=last_executed_price n=commission_amount N=commission_asset " +
    "T=transaction_time t=trade_id I=execution_id w=is_order_working m=is_trade_maker_side M=ignore " +
    "O=order_creation_time Z=cumulative_quote_asset_transacted_quantity " +
    "Y=last_quote_asset_transacted_quantity Q=quote_order_quantity W=working_time " +
    "V=self_trade_prevention_mode d=trailing_delta D=trailing_time j=strategy_id J=strategy_type " +
    "v=prevented_match_id A=prevented_quantity B=last_prevented_quantity u=trade_group_id U=counter_order_id " +
    "Cs=counter_symbol pl=prevented_execution_quantity pL=prevented_execution_price " +
    "pY=prevented_execution_quote_quantity b=match_type a=allocation_id k=working_floor uS=used_sor " +
    "gP=pegged_price_type gOT=pegged_offset_type gOV=pegged_offset_value gp=pegged_price eR=expiry_reason",
  listStatus:
    "s=symbol g=order_list_id c=contingency_type l=list_status_type L=list_order_status r=list_reject_reason " +
    "C=list_client_order_id T=transaction_time O=objects>listedOrder",
  ORDER_TRADE_UPDATE: "T=transaction_time o=order*futuresOrder i=account_alias fs=business_unit",
  TRADE_LITE: "T=transaction_time s=symbol q=order_quantity p=order_price m=is_trade_maker_side c=client_order_id " +
    "S=side L=last_executed_price l=last_executed_quantity t=trade_id i=order_id fs=business_unit",
  CONDITIONAL_ORDER_TRADE_UPDATE: "T=transaction_time fs=business_unit so=strategy_order*conditionalOrder",
  liabilityChange: "a=asset t=liability_type T=transaction_id p=principal i=interest l=total_liability",
  openOrderLoss: "O=losses>orderLoss",
  riskLevelChange: "u=uni_mmr s=risk_level eq=account_equity ae=actual_equity m=maintenance_margin",
  PM_PRO_ACCOUNT_UPDATE: "u=uni_mmr eq=account_equity ae=actual_equity im=initial_margin mm=maintenance_margin " +
    "avb=available_balance vmw=virtual_max_withdraw_amount",
};

/** Objects within events, by the name that the others call them. */
export const PART_NAMES: Readonly<Record<string, string>> = {
  liquidation: "s=symbol ps=pair S=side o=order_type f=time_in_force q=original_quantity p=price ap=avg_price " +
    "X=order_status l=last_executed_quantity z=cumulative_filled_quantity T=transaction_time",
  kline: "t=kline_start_time T=kline_close_time s=symbol i=interval f=first_trade_id L=last_trade_id o=open_price " +
    "c=close_price h=high_price l=low_price v=base_volume n=number_of_trades x=is_closed q=quote_volume " +
    "V=taker_by_base_asset_volume Q=taker_by_quote_asset_volume B=ignore",
  component: "b=base_asset q=quote_asset w=weight_quantity W=weight_percentage i=index_price",
  bracket: "bs=bracket bnf=notional_floor bnc=notional_cap mmr=maintenance_margin_ratio cf=cumulative_factor " +
    "mi=minimum_leverage ma=maximum_leverage",
  spotBalance: "a=asset f=free l=locked",
  futuresBalance: "a=asset wb=wallet_balance cw=cross_wallet_balance bc=balance_change",
  futuresPosition: "s=symbol pa=position_amount ep=entry_price bep=break_even_price cr=accumulated_realized " +
    "up=unrealized_profit mt=margin_type iw=isolated_wallet ps=position_side",
  accountChange: "m=event_reason B=balances>futuresBalance P=positions>futuresPosition",
  leverageConfig: "s=symbol l=leverage",
  assetModeConfig: "j=multi_assets_mode",
  marginCallPosition: "s=symbol ps=position_side pa=position_amount mt=margin_type iw=isolated_wallet mp=mark_price " +
    "up=unrealized_profit mm=maintenance_margin",
  algoOrder: "caid=client_algo_id aid=algo_id at=algo_type o=order_type s=symbol S=side ps=position_side " +
    "f=time_in_force q=order_quantity X=algo_status ai=order_id ap=order_avg_price " +
    "aq=cumulative_filled_quantity act=actual_order_type tp=trigger_price p=order_price " +
    "V=self_trade_prevention_mode wt=trigger_price_type pm=price_match_mode cp=close_all pP=price_protection " +
    "R=reduce_only tt=trigger_time gtd=good_till_date rm=reject_reason",
  triggerRejection: "s=symbol i=order_id r=reject_reason",
  strategy: "si=strategy_id st=strategy_type ss=strategy_status s=symbol ut=update_time c=op_code",
  grid: "si=strategy_id st=strategy_type ss=strategy_status s=symbol r=realized_profit up=unmatched_average_price " +
    "uq=unmatched_quantity uf=unmatched_fee mp=matched_profit ut=update_time",
  optionsBalance: "a=asset b=wallet_balance bc=balance_change",
  optionsPosition: "s=symbol c=position_amount p=position_value a=average_entry_price",
  greeks: "u=underlying d=delta g=gamma t=theta v=vega",
  listedOrder: "s=symbol i=order_id c=client_order_id",
  futuresOrder: "s=symbol c=client_order_id S=side o=order_type f=time_in_force q=order_quantity p=order_price " +
    "ap=order_avg_price sp=order_stop_price x=current_execution_type X=current_order_status i=order_id " +
    "l=last_executed_quantity z=cumulative_filled_quantity L=last_executed_price N=commission_asset " +
    "n=commission T=order_trade_time t=trade_id b=bids_notional a=asks_notional m=is_trade_maker_side " +
    "R=reduce_only wt=trigger_price_type ot=original_order_type ps=position_side cp=close_all " +
    "AP=activation_price cr=callback_rate pP=price_protection si=ignore_si ss=ignore_ss " +
    "rp=order_realized_profit V=self_trade_prevention_mode pm=price_match_mode gtd=good_till_date " +
    "er=expire_reason ma=margin_asset",
  conditionalOrder:
    "s=symbol c=client_strategy_id si=strategy_id S=side st=strategy_type f=time_in_force q=order_quantity " +
    "p=order_price sp=order_stop_price os=strategy_status T=order_book_time ut=update_time R=reduce_only " +
    "wt=trigger_price_type ps=position_side cp=close_all AP=activation_price cr=callback_rate i=order_id " +
    "V=self_trade_prevention_mode gtd=good_till_date",
  orderLoss: "a=asset o=open_order_loss",
};
