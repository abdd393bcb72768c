/**
 * Converts a message (SMS, chat) into the request that its provider accepts: the template of the configuration, filled
 * with the message. Secrets of the provider are in its headers, and known only here: neither flows nor journals contain
 * them.
 */
import type { HttpRequest, MessageProvider } from '../core/http-exchange.ts';
import { isObject, type Json, type JsonObject, mapValues } from '../core/json.ts';

/** Returns the request to the provider of the message; undefined if there is no such provider. */
export function providerRequest(
  request: HttpRequest,
  { id, provider: wanted }: NonNullable<HttpRequest['message']>,
  providers: readonly MessageProvider[],
): HttpRequest | undefined {
  const provider = wanted === undefined ? providers[0] : providers.find(({ name }) => name === wanted);
  if (!provider) return undefined;
  const { message: _message, ...rest } = request;
  const said = isObject(request.body) ? request.body : {};
  const values: JsonObject = { from: provider.from ?? '', ...said, id };
  const asText = (key: string): string => String(values[key] ?? '');
  return {
    ...rest,
    method: provider.method,
    url: provider.url.replace(PLACES, (_, key: string) => encodeURIComponent(asText(key).toWellFormed())),
    headers: { ...provider.headers, 'idempotency-key': id },
    body: filled(provider.body, asText),
    isForm: provider.form,
  };
}

const PLACES = /\{(to|from|text|id)\}/g;

function filled(written: Json, asText: (key: string) => string): Json {
  // Replaces in one pass, so that a text that contains `{to}` is unchanged.
  if (typeof written === 'string') return written.replace(PLACES, (_, key: string) => asText(key));
  if (Array.isArray(written)) return written.map((each) => filled(each, asText));
  return isObject(written) ? mapValues(written, (each) => filled(each, asText)) : written;
}
