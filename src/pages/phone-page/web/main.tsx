/** Entry point of the phone page in the browser. */
import '../../shared/web/theme.css';
import { render } from 'preact';
import { App } from './app.tsx';

render(<App />, document.getElementById('app')!);
