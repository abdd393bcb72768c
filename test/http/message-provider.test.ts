import { describe, expect, it } from 'vitest';
import type { HttpRequest, MessageProvider } from '../../src/base/core/http-exchange.ts';
import { createFlowHttpClient } from '../../src/base/http/flow-http-client.ts';
import type { HttpClientRequest } from '../../src/base/http/http-client.ts';

const SMS: MessageProvider = {
  name: 'sms',
  url: 'https://sms.example/v1/{from}/send',
  method: 'POST',
  headers: { authorization: 'Bearer key-4711' },
  body: { message: { to: '{to}', body: 'Shop: {text}' }, ids: ['{id}', 7] },
  form: false,
  from: '+33100000000',
};
const FORM: MessageProvider = { ...SMS, name: 'form', method: 'PUT', body: { To: '{to}', Body: '{text}' }, form: true };

async function sent(message: NonNullable<HttpRequest['message']>, body: HttpRequest['body'], providers = [SMS, FORM]) {
  const requests: HttpClientRequest[] = [];
  const http = createFlowHttpClient({
    sign: () => undefined,
    messageProviders: () => providers,
    client: {
      urlProblem: (url) => (URL.parse(url)?.protocol === 'https:' ? undefined : 'neither http nor https'),
      close: async () => {},
      async send(request) {
        requests.push(request);
        return { status: 202, headers: {}, body: Buffer.from('') };
      },
    },
  });
  const asked: HttpRequest = { name: 'tell', method: 'POST', url: 'message:', headers: {}, timeoutMs: 1000, message };
  const reply = await http({ ...asked, ...(body !== undefined && { body }) }, 'shop', new AbortController().signal);
  return { reply, request: requests[0] };
}

describe('a message of a flow', () => {
  it('is sent to the first provider in its form, with its credentials and the id of the message', async () => {
    const { request } = await sent({ id: 'call-1:4' }, { to: '+33611111111', text: 'Come "now" {to}\n' });
    expect(request?.url.href).toBe('https://sms.example/v1/%2B33100000000/send');
    expect(request?.headers).toMatchObject({ authorization: 'Bearer key-4711', 'idempotency-key': 'call-1:4' });
    expect(JSON.parse(String(request?.body))).toEqual({
      message: { to: '+33611111111', body: 'Shop: Come "now" {to}\n' },
      ids: ['call-1:4', 7],
    });
  });

  it('is a form where the provider requires one, from the sender that the flow names', async () => {
    const { request } = await sent({ id: 'x', provider: 'form' }, { to: 'a&b', text: 'c=d', from: 'Shop' });
    expect([request?.method, request?.body]).toEqual(['PUT', 'To=a%26b&Body=c%3Dd']);
    expect(request?.url.href).toBe('https://sms.example/v1/Shop/send');
  });

  it('is refused if it would change the path of the URL', async () => {
    const { reply, request } = await sent({ id: 'x' }, { to: '1', text: '2', from: '..' });
    expect([reply.ok, request]).toEqual([false, undefined]);
  });

  it('is refused without a request if no provider has this name', async () => {
    for (const [message, providers] of [
      [{ id: 'x', provider: 'chat' }, [SMS]],
      [{ id: 'x' }, []],
    ] as const) {
      const { reply, request } = await sent(message, { to: '1', text: '2' }, [...providers]);
      expect([reply.ok, request]).toEqual([false, undefined]);
    }
  });
});
