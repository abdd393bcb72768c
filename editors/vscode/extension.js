/** Starts `callweave lsp` for YAML and JSON files in the first open folder. The server decides which of them are flows. */
const { workspace } = require('vscode');
const { LanguageClient } = require('vscode-languageclient/node');

let client;

exports.activate = () => {
  const [command, ...args] = workspace.getConfiguration('callweave').get('command');
  const cwd = workspace.workspaceFolders?.[0]?.uri.fsPath;
  // Windows starts npx by a shell only.
  const server = { command, args, options: { cwd, shell: process.platform === 'win32' } };
  const documentSelector = ['yaml', 'json'].map((language) => ({ scheme: 'file', language }));
  client = new LanguageClient('callweave', 'Callweave', server, { documentSelector });
  return client.start();
};

exports.deactivate = () => client?.stop();
