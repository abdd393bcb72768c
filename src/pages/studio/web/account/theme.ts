/** Colours of the page: light, dark, or those of the system. Kept in this browser. */
import { signal } from '@preact/signals';

export const THEMES = ['system', 'light', 'dark'] as const;
export type Theme = (typeof THEMES)[number];

const STORED = 'callweave-theme';

export const theme = signal<Theme>(storedTheme());

function storedTheme(): Theme {
  try {
    return THEMES.find((each) => each === localStorage.getItem(STORED)) ?? 'system';
  } catch {
    // Browsers can refuse storage.
    return 'system';
  }
}

export function chooseTheme(chosen: Theme): void {
  theme.value = chosen;
  applyTheme();
  try {
    if (chosen === 'system') localStorage.removeItem(STORED);
    else localStorage.setItem(STORED, chosen);
  } catch {
    // The choice then ends with the page.
  }
}

/** The colours of the style sheet follow the colour scheme of the root. */
export function applyTheme(): void {
  document.documentElement.style.colorScheme = theme.peek() === 'system' ? '' : theme.peek();
}
