package controlplane

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestVersionsAreInTheFolderAndTheProgram(t *testing.T) {
	v := Versions{Kubernetes: "v1.37.1", Etcd: "v3.7.0", Go: "go1.26.8"}
	assert.Equal(t, "k8s-v1.37.1-etcd-v3.7.0-go1.26.8", v.Folder())
	b := &Builder{Versions: v}
	assert.Equal(t, "-s -w -X k8s.io/component-base/version.gitVersion=v1.37.1 -X k8s.io/component-base/version.gitMajor=1"+
		" -X k8s.io/component-base/version.gitMinor=37 -X k8s.io/component-base/version.gitTreeState=clean", b.linking())
}

func TestWhatIsThereIsNotBuiltAgain(t *testing.T) {
	dir := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(dir, "etcd"), nil, 0o755))
	b := &Builder{Dir: dir, Say: func(format string, _ ...any) { t.Errorf("said %q", format) }}
	assert.NoError(t, b.Once(t.Context(), []Program{{Name: "etcd", Package: "no.such/package"}}))
}

// Without the go command the error says so, and not that the module is wrong.
func TestNoGoCommand(t *testing.T) {
	t.Setenv("PATH", t.TempDir())
	_, err := ReadVersions(t.Context())
	require.ErrorIs(t, err, ErrNoGo)
	assert.NotContains(t, err.Error(), "go.mod")
	b := &Builder{Dir: t.TempDir(), Say: t.Logf}
	assert.ErrorIs(t, b.Always(t.Context(), []Program{{Name: "etcd", Package: "no.such/package"}}), ErrNoGo)
}

// A proxy that is out of reach is told from a package that cannot be built.
func TestNoModules(t *testing.T) {
	folder := t.TempDir()
	for name, text := range map[string]string{
		"go.mod":    "module example.com/m\n\ngo 1.26.0\n\nrequire example.com/away v1.0.0\n",
		"main.go":   "package main\n\nimport _ \"example.com/away\"\n\nfunc main() {}\n",
		"b/main.go": "package main\n\nfunc main() { nothing() }\n",
	} {
		file := filepath.Join(folder, name)
		require.NoError(t, os.MkdirAll(filepath.Dir(file), 0o755))
		require.NoError(t, os.WriteFile(file, []byte(text), 0o644))
	}
	t.Chdir(folder)
	t.Setenv("GOPROXY", "file://"+filepath.ToSlash(t.TempDir()))
	t.Setenv("GOFLAGS", "-mod=mod")
	b := &Builder{Dir: t.TempDir(), Say: t.Logf}
	err := b.Always(t.Context(), []Program{{Name: "away", Package: "example.com/m"}})
	require.ErrorIs(t, err, ErrNoModules)
	assert.ErrorContains(t, err, "GOPROXY=file://")
	assert.ErrorContains(t, err, "go mod download")
	assert.NoFileExists(t, b.File("away.new"))

	err = b.Always(t.Context(), []Program{{Name: "b", Package: "example.com/m/b"}})
	assert.ErrorContains(t, err, "undefined: nothing")
	assert.NotErrorIs(t, err, ErrNoModules)
}

func TestVersionsOfTheModule(t *testing.T) {
	v, err := ReadVersions(t.Context())
	require.NoError(t, err)
	assert.Regexp(t, `^v1\.`, v.Kubernetes)
	assert.Regexp(t, `^v3\.`, v.Etcd)
}

func TestTheConfigurationOfTheSchedulerIsTheDefault(t *testing.T) {
	file := filepath.Join(t.TempDir(), "config.json")
	read := func(plugin string, names ...string) (profiles []any) {
		require.NoError(t, writeSchedulerConfiguration(file, schedulerConfiguration("k", plugin, false, names...)))
		text, err := os.ReadFile(file)
		require.NoError(t, err)
		var config object
		require.NoError(t, json.Unmarshal(text, &config))
		return config["profiles"].([]any)
	}
	assert.Equal(t, []any{object{"schedulerName": "default-scheduler"}}, read("", DefaultProfile))
	for _, profile := range read("Outrank", "a", "b") {
		with := profile.(object)["plugins"].(object)["multiPoint"]
		assert.Equal(t, object{"enabled": []any{object{"name": "Outrank"}}, "disabled": []any{object{"name": "DefaultPreemption"}}}, with)
	}
}
