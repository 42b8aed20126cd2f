import { useState } from 'preact/hooks';
import { Dialog } from '../../ui/dialog';

export function SaveView({ taken, close }: { taken: readonly string[]; close(name?: string): void }) {
  const [name, setName] = useState('');
  const known = taken.includes(name.trim());
  const submit = () => {
    if (name.trim() !== '' && !known) close(name.trim());
  };
  return (
    <Dialog
      title="Save these filters as a view"
      close={() => close()}
      submit={submit}
      footer={
        <button type="submit" class="button button-primary" disabled={name.trim() === '' || known}>
          Save
        </button>
      }
    >
      <label class="field">
        <span>Name</span>
        <input type="text" maxLength={60} data-autofocus value={name} onInput={(event) => setName(event.currentTarget.value)} />
      </label>
      {known && <p role="alert">A view has this name already.</p>}
      <p class="hint">Views are kept in this browser. The address of the page has the filters too, so it can be sent to others.</p>
    </Dialog>
  );
}
