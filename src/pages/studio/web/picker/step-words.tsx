/** Icon, name and sentence of a step, in the list of steps and above its questions. */
import { VerbIcon } from '../icons.tsx';

export function StepWords({ step }: { step: { verb: string; name: string; sentence: string } }) {
  return (
    <>
      <span class="picker-icon">
        <VerbIcon verb={step.verb} />
      </span>
      <span class="picker-words">
        <b>{step.name}</b>
        <small>{step.sentence}</small>
      </span>
    </>
  );
}
