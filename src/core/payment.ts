/**
 * Card payments: what a step hands to the provider, and who there is. Neighbours: `steps/pay.ts` asks for the card,
 * `http/payments` talks to providers.
 *
 * Invariant: a `PaymentCard` is never part of what is journalled, traced or logged: it travels beside the body of the request.
 */
export interface PaymentCard {
  number: string;
  /** 1 to 12. */
  expiryMonth: number;
  /** Four digits. */
  expiryYear: number;
  securityCode?: string;
  postalCode?: string;
}

/** What is asked for; the journal has it. */
export interface PaymentOrder {
  /** The same when it is sent again: the provider takes it once. */
  id: string;
  action: 'charge' | 'tokenize';
  /** Units of the currency, with its decimals: `49.90`. */
  amount?: string;
  /** The same in its smallest unit: 4990. */
  amount_minor?: number;
  currency?: string;
  description?: string;
  card_type: string;
  last_digits: string;
}

/** Beside the body of the request, which is the order. */
export interface PaymentDetails {
  order: PaymentOrder;
  card: PaymentCard;
  /** Default: the first one. */
  provider?: string;
}

/** What the provider answered, with nothing of the card in it. */
export interface PaymentAnswer {
  status: 'paid' | 'tokenized' | 'declined';
  confirmation?: string;
  token?: string;
  code?: string;
  message?: string;
}

export type PaymentProvider =
  | { name: string; adapter: 'generic'; url: string; headers: Readonly<Record<string, string>> }
  | { name: string; adapter: 'stripe'; key: string; moto: boolean }
  | { name: string; adapter: 'simulated' };
