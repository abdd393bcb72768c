/** Outlines of a screen whose code or data is loading: a list, or a picture beside a column. */
import './skeleton.css';

const ROWS = 6;

export const Skeleton = ({ isSplit }: { isSplit: boolean }) => (
  <div class="page" aria-busy="true">
    <Outlines isSplit={isSplit} />
  </div>
);

/** The outlines without the page around them. */
export const Outlines = ({ isSplit }: { isSplit: boolean }) => (
  <div class={`skeleton${isSplit ? ' split' : ''}`} aria-hidden="true">
    <i class="bar" />
    {isSplit ? (
      <>
        <i class="picture" />
        <i class="column" />
      </>
    ) : (
      Array.from({ length: ROWS }, (_, index) => <i key={index} class="row" />)
    )}
  </div>
);
