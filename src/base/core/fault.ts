/** Reason why a step or an engine failed; the outcome of the step is then `error`. */
export interface Fault {
  code: string;
  message: string;
  retryable: boolean;
  cause?: string;
}

/** Error that carries a fault. */
export class FaultError extends Error {
  readonly fault: Fault;
  constructor(fault: Fault) {
    super(fault.message);
    this.fault = fault;
  }
}

/** The fault that an error carries, if it has one. */
export function faultIn(error: unknown): Fault | undefined {
  return error !== null && typeof error === 'object' && 'fault' in error ? (error.fault as Fault) : undefined;
}

export function fault(code: string, message: string, options: { retryable?: boolean; cause?: string } = {}): Fault {
  const made: Fault = { code, message, retryable: options.retryable ?? false };
  if (options.cause !== undefined) made.cause = options.cause;
  return made;
}
