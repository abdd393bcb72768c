/** Certificate authority made by openssl in its own directory, and its certificates. */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export interface Certificate {
  cert: Buffer;
  key: Buffer;
  files: { cert: string; key: string };
}

export class Authority {
  readonly directory = mkdtempSync(join(tmpdir(), 'callweave-authority-'));
  readonly #own: Certificate;
  #count = 0;

  constructor(name = 'An authority') {
    this.#own = this.#make(['-subj', `/CN=${name}`]);
  }

  /** Certificate of the authority, for the trust store of a client. */
  get pem(): Buffer {
    return this.#own.cert;
  }

  get file(): string {
    return this.#own.files.cert;
  }

  /** `names` as openssl writes them: `DNS:a.test,URI:sip:b.test`; none: the common name alone. */
  certificate(names: string, commonName = 'somebody'): Certificate {
    const { cert, key } = this.#own.files;
    const extensions = names === '' ? [] : ['-addext', `subjectAltName=${names}`];
    return this.#make(['-CA', cert, '-CAkey', key, '-subj', `/CN=${commonName}`, ...extensions]);
  }

  [Symbol.dispose](): void {
    rmSync(this.directory, { recursive: true });
  }

  /** A certificate that was valid for a day in 2020. */
  expired(commonName: string): Certificate {
    const { key, files } = this.certificate('', commonName);
    const file = (name: string, text = ''): string => {
      const path = join(this.directory, name);
      writeFileSync(path, text);
      return path;
    };
    const config = file(
      'ca.cnf',
      `[ca]\ndefault_ca=own\n[own]\ndatabase=${file('index')}\nserial=${file('serial', '01\n')}\nnew_certs_dir=${this.directory}\ndefault_md=sha256\npolicy=any\n[any]\ncommonName=supplied\n`,
    );
    const request = join(this.directory, 'expired.csr');
    execFileSync('openssl', ['req', '-new', '-key', files.key, '-subj', `/CN=${commonName}`, '-out', request]);
    const authority = ['-config', config, '-cert', this.#own.files.cert, '-keyfile', this.#own.files.key];
    const dates = ['-startdate', '20200101000000Z', '-enddate', '20200102000000Z'];
    const cert = join(this.directory, 'expired.pem');
    const args = ['ca', '-batch', '-notext', ...authority, ...dates, '-in', request, '-out', cert];
    execFileSync('openssl', args, { stdio: 'pipe' });
    return { cert: readFileSync(cert), key, files: { cert, key: files.key } };
  }

  #make(words: string[]): Certificate {
    const [cert, key] = ['pem', 'key'].map((ending) => join(this.directory, `${this.#count}.${ending}`));
    this.#count++;
    const curve = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-noenc', '-days', '2'];
    execFileSync('openssl', ['req', '-x509', ...curve, '-keyout', key!, '-out', cert!, ...words], { stdio: 'pipe' });
    return { cert: readFileSync(cert!), key: readFileSync(key!), files: { cert: cert!, key: key! } };
  }
}
