/** Phones that the killed service calls: their behaviour depends on the number, and their log is a file. */
import type { CalleePlan } from '../../src/media/telephony/simulated/far-end.ts';

/** The digit after the country code says what a phone does. */
export const KINDS = {
  busy: '1',
  answers: '2',
  talks: '3',
  silent: '4',
  unreachable: '5',
  declines: '6',
  busyAtFirst: '7',
} as const;

export type Kind = keyof typeof KINDS;

export const phoneOf = (kind: Kind, index: number): string => `+33${KINDS[kind]}${String(index).padStart(8, '0')}`;

export const kindOf = (phone: string): Kind =>
  (Object.keys(KINDS) as Kind[]).find((kind) => KINDS[kind] === phone.at(3))!;

/** `before`: number of earlier calls to it, in all lives of the service. */
export function planOf(phone: string, before: number): CalleePlan {
  switch (kindOf(phone)) {
    case 'busy':
      return { does: 'busy', afterMs: 5 };
    case 'answers':
      return { does: 'answer', ringsAfterMs: 2, afterMs: 8, talkMs: 15 };
    case 'talks':
      return { does: 'answer', afterMs: 5, talkMs: 120 };
    case 'silent':
      return { does: 'no_answer', ringsAfterMs: 3 };
    case 'unreachable':
      return { does: 'fail', sipStatus: 503, afterMs: 4 };
    case 'declines':
      return { does: 'declined', afterMs: 10 };
    case 'busyAtFirst':
      return before === 0 ? { does: 'busy', afterMs: 3 } : { does: 'answer', afterMs: 6, talkMs: 10 };
  }
}

/** Log of a phone, in lines `dialled +33…`; `killed` separates two lives of the service. */
export type Sight = 'dialled' | 'answered' | 'ended' | 'killed';

export interface Seen {
  /** Log of each phone, in order; `killed` where the service died during its call. */
  byPhone: Map<string, Sight[]>;
  /** Run of the service, from 0, in which a phone was called last. */
  lastLife: Map<string, number>;
}

export function readSights(text: string): Seen {
  const byPhone = new Map<string, Sight[]>();
  const lastLife = new Map<string, number>();
  let life = 0;
  // An incomplete line counts as not written.
  for (const line of text.split('\n').slice(0, -1)) {
    const [sight, phone = ''] = line.split(' ') as [Sight, string?];
    if (sight === 'killed') {
      for (const [called, when] of lastLife) if (when === life) byPhone.get(called)!.push('killed');
      life++;
      continue;
    }
    if (sight === 'dialled') lastLife.set(phone, life);
    byPhone.set(phone, [...(byPhone.get(phone) ?? []), sight]);
  }
  return { byPhone, lastLife };
}
