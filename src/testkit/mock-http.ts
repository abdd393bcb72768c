/** Answers the HTTP requests of a scenario in virtual time, and notices requests without an answer in the test. */
import type { Clock } from '../core/clock.ts';
import type { HttpReply, HttpRequest } from '../core/http-exchange.ts';
import type { HttpMock } from './scenario-file.ts';

export type MockHttp = ReturnType<typeof mockHttp>;

export function mockHttp(
  clock: () => Clock,
  mocks: Readonly<Record<string, HttpMock | HttpMock[]>>,
  { holdsUnmocked = false } = {},
) {
  /** How many requests each step made. */
  const requestsByStep = new Map<string, number>();
  /** Requests without an answer: the name of the step, which of its requests, and how many answers it had. */
  const unmocked: { step: string; nth: number; answers: number }[] = [];

  const mockOf = (step: string): HttpMock | undefined => {
    const count = requestsByStep.get(step) ?? 0;
    requestsByStep.set(step, count + 1);
    const prepared = Object.hasOwn(mocks, step) ? mocks[step] : undefined;
    const mock = Array.isArray(prepared) ? prepared[count] : prepared;
    if (mock) return mock;
    unmocked.push({ step, nth: count + 1, answers: Array.isArray(prepared) ? prepared.length : 0 });
    return holdsUnmocked ? { kind: 'timeout' } : undefined;
  };

  return {
    requestsByStep,
    unmocked,
    http(request: HttpRequest, _projectId: string, signal: AbortSignal): Promise<HttpReply> {
      const { afterMs, reply } = answerOf(mockOf(request.name), request);
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

function answerOf(mock: HttpMock | undefined, { name, timeoutMs }: HttpRequest): { afterMs: number; reply: HttpReply } {
  const late: HttpReply = { ok: false, reason: 'timeout', message: `no answer within ${timeoutMs} ms` };
  if (!mock) {
    return { afterMs: 0, reply: { ok: false, reason: 'network', message: `the test has no answer for ${name}` } };
  }
  if (mock.kind === 'timeout' || mock.afterMs >= timeoutMs) return { afterMs: timeoutMs, reply: late };
  if (mock.kind === 'network') {
    return { afterMs: mock.afterMs, reply: { ok: false, reason: 'network', message: 'the connection failed' } };
  }
  const { status, headers, body, afterMs } = mock;
  return { afterMs, reply: { ok: true, status, headers, body } };
}
