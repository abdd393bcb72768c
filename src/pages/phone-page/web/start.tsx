/** Shows the phone page. Its modules are evaluated after the language is set. */
import { render } from 'preact';
import { App } from './app.tsx';

render(<App />, document.getElementById('app')!);
