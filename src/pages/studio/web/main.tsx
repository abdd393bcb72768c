/** Entry point of the studio in the browser. */
import '../../shared/web/theme.css';
import './style.css';
import './parts.css';
import './graph/picture.css';
import { render } from 'preact';
import { applyTheme } from './account/theme.ts';
import { App } from './app.tsx';
import { findFlows } from './flows/find-flows.ts';

applyTheme();
findFlows();
render(<App />, document.getElementById('app')!);
