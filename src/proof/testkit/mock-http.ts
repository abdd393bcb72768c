/** Responds to HTTP requests of a scenario in virtual time, and records requests without a mock. */
import type { Clock } from '../../base/core/clock.ts';
import type { HttpReply, HttpRequest } from '../../base/core/http-exchange.ts';
import type { PaymentDetails } from '../../base/core/payment.ts';
import { readGenericAnswer } from '../../base/http/payments/generic-payments.ts';
import { paymentReply } from '../../base/http/payments/send-payment.ts';
import { paySimulated } from '../../base/http/payments/simulated-payments.ts';
import type { HttpMock } from './scenario-file.ts';

export type MockHttp = ReturnType<typeof mockHttp>;

export function mockHttp(
  clock: () => Clock,
  mocks: Readonly<Record<string, HttpMock | HttpMock[]>>,
  { holdsUnmocked = false } = {},
) {
  /** Number of requests of each step. */
  const requestsByStep = new Map<string, number>();
  /** All requests, unmasked. */
  const sent: HttpRequest[] = [];
  /** Requests without a response: name of the step, number of the request, and number of mocked responses. */
  const unmocked: { step: string; nth: number; answers: number }[] = [];

  const mockOf = ({ name: step, message, payment, call }: HttpRequest): HttpMock | undefined => {
    const count = requestsByStep.get(step) ?? 0;
    requestsByStep.set(step, count + 1);
    const prepared = Object.hasOwn(mocks, step) ? mocks[step] : undefined;
    const mock = Array.isArray(prepared) ? prepared[count] : prepared;
    if (mock) return mock;
    // Without a mock, messages and calls are accepted, and payments have the result of their test card.
    if ((message || call) && !holdsUnmocked) return { kind: 'reply', status: 202, headers: {}, body: null, afterMs: 0 };
    if (payment && !holdsUnmocked) return undefined;
    unmocked.push({ step, nth: count + 1, answers: Array.isArray(prepared) ? prepared.length : 0 });
    return holdsUnmocked ? { kind: 'timeout' } : undefined;
  };

  return {
    requestsByStep,
    sent,
    unmocked,
    http(request: HttpRequest, _projectId: string, signal: AbortSignal): Promise<HttpReply> {
      sent.push(request);
      const mock = mockOf(request);
      const { payment } = request;
      const { afterMs, reply } = payment ? paymentAnswerOf(mock, request, payment) : answerOf(mock, request);
      return new Promise((resolve) => {
        const timer = clock().after(afterMs, () => resolve(reply));
        signal.addEventListener('abort', () => {
          timer.cancel();
          resolve({ ok: false, reason: 'network', message: 'given up' });
        });
      });
    },
  };
}

/** Tests write the response in the format of a `generic` provider. */
function paymentAnswerOf(
  mock: HttpMock | undefined,
  request: HttpRequest,
  details: PaymentDetails,
): { afterMs: number; reply: HttpReply } {
  if (!mock) return { afterMs: 0, reply: paymentReply(paySimulated(details), details.card) };
  const { afterMs, reply } = answerOf(mock, request);
  return { afterMs, reply: reply.ok ? paymentReply(readGenericAnswer(reply, details.order), details.card) : reply };
}

function answerOf(mock: HttpMock | undefined, { name, timeoutMs }: HttpRequest): { afterMs: number; reply: HttpReply } {
  const late: HttpReply = { ok: false, reason: 'timeout', message: `no answer within ${timeoutMs} ms` };
  if (!mock) {
    return { afterMs: 0, reply: { ok: false, reason: 'network', message: `the test has no answer for ${name}` } };
  }
  if (mock.kind === 'agent')
    return { afterMs: 0, reply: { ok: false, reason: 'network', message: 'an agent is not asked' } };
  if (mock.kind === 'timeout' || mock.afterMs >= timeoutMs) return { afterMs: timeoutMs, reply: late };
  if (mock.kind !== 'reply') {
    const message = mock.kind === 'network' ? 'the connection failed' : 'the answer cannot be read';
    return { afterMs: mock.afterMs, reply: { ok: false, reason: mock.kind, message } };
  }
  const { status, headers, body, afterMs } = mock;
  return { afterMs, reply: { ok: true, status, headers, body } };
}
