import { render } from 'preact';

render(<h1>Callweave</h1>, document.body);
