/** What `callweave doctor` says of one thing: how it is, and what to do where it is not well. */
export interface Finding {
  subject: string;
  /** `failed`: calls will not work, or not for long. `warning`: something is left out, or will fail later. */
  state: 'ok' | 'warning' | 'failed';
  found: string;
  remedy?: string;
}

export const ok = (subject: string, found: string): Finding => ({ subject, state: 'ok', found });
export const warning = (subject: string, found: string, remedy: string): Finding => ({
  ...{ subject, state: 'warning', found, remedy },
});
export const failed = (subject: string, found: string, remedy: string): Finding => ({
  ...{ subject, state: 'failed', found, remedy },
});
