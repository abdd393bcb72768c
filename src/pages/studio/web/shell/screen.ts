/** Type of a screen: a component that gets the parameters of its path. */
import type { FunctionComponent } from 'preact';

export interface ScreenProps {
  params: Readonly<Record<string, string>>;
}

export type Screen = FunctionComponent<ScreenProps>;
