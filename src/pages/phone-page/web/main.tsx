/** Entry point of the phone page in the browser. */
import '../../shared/web/theme.css';
import { startPage } from '../../shared/web/words/start-page.ts';

void startPage(() => import('./start.tsx'));
