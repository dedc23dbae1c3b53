package outside

import (
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/mod/module"
	"golang.org/x/mod/zip"
)

const (
	library = "github.com/outrank-go/outrank"
	parts   = library + "/examples/clientgo"
	version = "v0.99.0"
)

// goCommand runs a command of Go in a folder, and returns what it prints.
func goCommand(t *testing.T, dir string, env []string, args ...string) string {
	t.Helper()
	command := exec.Command("go", args...)
	command.Dir, command.Env = dir, append(os.Environ(), env...)
	var complaints bytes.Buffer
	command.Stderr = &complaints
	out, err := command.Output()
	require.NoError(t, err, "go %s\n%s%s", strings.Join(args, " "), out, &complaints)
	return string(out)
}

// publish puts the version of a module, made of the files of a folder, where a module proxy has
// it. Package zip decides as Go does what belongs to a module and which names a file may have.
func publish(t *testing.T, proxy, path, dir string) {
	at := filepath.Join(proxy, filepath.FromSlash(path), "@v")
	require.NoError(t, os.MkdirAll(at, 0o755))
	of, err := os.ReadFile(filepath.Join(dir, "go.mod"))
	require.NoError(t, err)
	info, err := json.Marshal(map[string]string{"Version": version, "Time": "2026-01-01T00:00:00Z"})
	require.NoError(t, err)
	var files bytes.Buffer
	require.NoError(t, zip.CreateFromDir(&files, module.Version{Path: path, Version: version}, dir))
	for suffix, content := range map[string][]byte{".mod": of, ".info": info, ".zip": files.Bytes()} {
		require.NoError(t, os.WriteFile(filepath.Join(at, version+suffix), content, 0o644))
	}
	require.NoError(t, os.WriteFile(filepath.Join(at, "list"), []byte(version+"\n"), 0o644))
}

// copied copies the files of this module to a folder of the test, as a release has them: with a
// requirement of the library in the version that was released before.
func copied(t *testing.T) string {
	dir := filepath.Join(t.TempDir(), "clientgo")
	require.NoError(t, os.CopyFS(dir, os.DirFS("..")))
	goCommand(t, dir, nil, "mod", "edit", "-require="+library+"@"+version)
	return dir
}

// A module outside this repository requires this one with go get, and runs a scheduler: without
// replace lines and without the modules of a scheduler or an API server. The other modules come from the module
// cache, or from the proxy of the environment where they are not there.
func TestModuleOutsideTheTree(t *testing.T) {
	proxy, dir := t.TempDir(), t.TempDir()
	publish(t, proxy, library, "../../..")
	publish(t, proxy, parts, copied(t))
	cache := strings.TrimSpace(goCommand(t, ".", nil, "env", "GOMODCACHE"))
	rest := strings.TrimSpace(goCommand(t, ".", nil, "env", "GOPROXY"))
	env := []string{
		"GOPROXY=file://" + filepath.ToSlash(proxy) + ",file://" + filepath.ToSlash(cache) + "/cache/download," + rest,
		"GOMODCACHE=" + t.TempDir(), // two runs have one version with other content
		"GONOSUMDB=" + library + "," + parts, "GOWORK=off", "GOFLAGS=-mod=mod -modcacherw -trimpath -buildvcs=false",
	}
	program, err := os.ReadFile("../scheduler/main.go")
	require.NoError(t, err)
	require.LessOrEqual(t, bytes.Count(program, []byte("\n")), 100, "lines of the example")
	require.NoError(t, os.WriteFile(filepath.Join(dir, "main.go"), program, 0o644))
	known, err := os.ReadFile("../go.sum") // so that a full module cache is enough
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(filepath.Join(dir, "go.sum"), known, 0o644))

	goCommand(t, dir, env, "mod", "init", "example.com/scheduler")
	goCommand(t, dir, env, "get", parts+"@"+version)
	require.Equal(t, "default/urgent waits for [default/batch] to leave n1\ndefault/urgent is bound to n1\n", goCommand(t, dir, env, "run", "."))

	required := map[string]string{}
	for line := range strings.Lines(goCommand(t, dir, env, "list", "-m", "all")) {
		path, at, _ := strings.Cut(strings.TrimSpace(line), " ")
		required[path] = at
	}
	require.Equal(t, version, required[parts])
	require.Equal(t, version, required[library])
	for _, heavy := range []string{"k8s.io/kubernetes", "k8s.io/kube-scheduler", "k8s.io/apiserver", "k8s.io/dynamic-resource-allocation", "github.com/google/cel-go"} {
		require.NotContains(t, required, heavy)
	}
	text, err := os.ReadFile(filepath.Join(dir, "go.mod"))
	require.NoError(t, err)
	require.NotContains(t, string(text), "replace")
}
