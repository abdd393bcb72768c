/** Screens for flows except the list and the editor, loaded as one chunk. See `screens.ts` in the folder above. */
export { CommentsPane } from '../comments/comments-pane.tsx';
export { SimulateScreen } from '../simulator/simulate-screen.tsx';
export { SimulatorPane } from '../simulator/simulator-pane.tsx';
export { AllTests } from '../tests/all-tests.tsx';
export { TestsPane } from '../tests/tests-pane.tsx';
export { TestsScreen } from '../tests/tests-screen.tsx';
export { Versions } from '../versions/versions.tsx';
