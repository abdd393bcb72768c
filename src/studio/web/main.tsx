/** Where the studio begins in the browser. */
import './style.css';
import './parts.css';
import { render } from 'preact';
import { App } from './shell/app.tsx';

render(<App />, document.getElementById('app')!);
