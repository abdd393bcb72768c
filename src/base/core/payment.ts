/**
 * Data types of card payments: orders, cards, answers and providers. Neighbours: `verbs/pay` asks for the card,
 * `base/http/payments` sends the order to providers.
 * Invariant: a `PaymentCard` is never journalled, traced or logged: it is passed separately from the body of the
 * request.
 */
export interface PaymentCard {
  number: string;
  /** 1 to 12. */
  expiryMonth: number;
  /** With four digits. */
  expiryYear: number;
  securityCode?: string;
  postalCode?: string;
}

/** The payment as recorded in the journal. */
export interface PaymentOrder {
  /** The same on every attempt, so that the provider charges once. */
  id: string;
  action: 'charge' | 'tokenize';
  /** In units of the currency, with its decimals: `49.90`. */
  amount?: string;
  /** The amount in the smallest unit: 4990. */
  amount_minor?: number;
  currency?: string;
  description?: string;
  card_type: string;
  last_digits: string;
}

/** Passed with the request, separately from its body, which is the order. */
export interface PaymentDetails {
  order: PaymentOrder;
  card: PaymentCard;
  /** Default: the first provider of the configuration. */
  provider?: string;
}

/** The response of the provider, without any card data. */
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
