/** Shows the studio. Its modules are evaluated after the language is set. */
import { render } from 'preact';
import { applyTheme } from './account/theme.ts';
import { App } from './app.tsx';
import { findEverything } from './search/sources.ts';

applyTheme();
findEverything();
render(<App />, document.getElementById('app')!);
