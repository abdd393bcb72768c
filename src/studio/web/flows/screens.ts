/** The screens of flows, but the editor, which come together. Neighbour: `screens.ts` above. */
export { SimulateScreen } from '../simulator/simulate-screen.tsx';
export { SimulatorPane } from '../simulator/simulator-pane.tsx';
export { AllTests } from '../tests/all-tests.tsx';
export { TestsPane } from '../tests/tests-pane.tsx';
export { TestsScreen } from '../tests/tests-screen.tsx';
export { Versions } from '../versions/versions.tsx';
export { FlowList } from './flow-list.tsx';
