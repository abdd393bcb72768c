/** The flows: what there is, which numbers lead there, what is wrong with them. */
import { Page, Pane } from '../shell/page.tsx';

export const FlowList = () => (
  <Page title="Flows">
    <Pane label="Flows">
      <p>No flows yet.</p>
    </Pane>
  </Page>
);
