/** The buttons of a setting's form: save, and remove where there is something to remove. */
export const FormEnd = ({ remove }: { remove: (() => Promise<void>) | undefined }) => (
  <div class="form-end">
    <button type="submit" class="button primary">
      Save
    </button>
    {remove && (
      <button type="button" class="button danger" onClick={remove}>
        Remove
      </button>
    )}
  </div>
);
