/** What a screen is: a component of its own, given what its path names. */
import type { FunctionComponent } from 'preact';

export interface ScreenProps {
  params: Readonly<Record<string, string>>;
}

export type Screen = FunctionComponent<ScreenProps>;
