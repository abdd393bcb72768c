/** Result of one check of `callweave doctor`, with a remedy. */
export interface DoctorResult {
  subject: string;
  /** `failed`: calls do not work, or not for long. `warning`: a feature is unavailable, or will fail later. */
  state: 'ok' | 'warning' | 'failed';
  found: string;
  remedy?: string;
}

export const ok = (subject: string, found: string): DoctorResult => ({ subject, state: 'ok', found });
export const warning = (subject: string, found: string, remedy: string): DoctorResult => ({
  ...{ subject, state: 'warning', found, remedy },
});
export const failed = (subject: string, found: string, remedy: string): DoctorResult => ({
  ...{ subject, state: 'failed', found, remedy },
});
