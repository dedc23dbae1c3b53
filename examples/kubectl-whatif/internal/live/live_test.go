package live

import (
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// kubectl puts a program of this name in front of the PATH, which records its arguments.
func kubectl(t *testing.T, script string) (called func() []string) {
	t.Helper()
	dir := t.TempDir()
	log := filepath.Join(dir, "log")
	text := "#!/bin/sh\necho \"$*\" >>" + log + "\n" + script + "\n"
	require.NoError(t, os.WriteFile(filepath.Join(dir, "kubectl"), []byte(text), 0o755))
	t.Setenv("PATH", dir+":/usr/bin:/bin")
	return func() []string {
		text, err := os.ReadFile(log)
		require.NoError(t, err)
		return lines(string(text))
	}
}

// reading reads with c, and returns what was read last.
func reading(t *testing.T, c Cluster) (text string, warnings []string, err error) {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
	defer cancel()
	warnings, err = c.Read(ctx, func(r io.Reader) error {
		all, err := io.ReadAll(r)
		text = string(all)
		return err
	})
	return text, warnings, err
}

const all = "get nodes,pods,pdb,priorityclasses,namespaces,pv,pvc,sc,csinodes,csidrivers,quota -A -o json"

func TestRead(t *testing.T) {
	called := kubectl(t, "echo '{}'")
	text, warnings, err := reading(t, Cluster{})
	require.NoError(t, err)
	assert.Empty(t, warnings)
	assert.Equal(t, "{}\n", text)
	_, _, err = reading(t, Cluster{Context: "--prod", Kubeconfig: "/a b"})
	require.NoError(t, err)
	assert.Equal(t, []string{all, all + " --context=--prod --kubeconfig=/a b"}, called())
	assert.Equal(t, "kubectl "+all, Cluster{}.Command())
}

// Kinds that may not be listed, or do not exist, are left out and named; the rest is read.
func TestForbiddenKinds(t *testing.T) {
	called := kubectl(t, `
case "$*" in
*,sc,*) echo "error: the server doesn't have a resource type \"sc\"" >&2; exit 1;;
*,pv,*)
	echo '{"partial": true}'
	echo 'Error from server (Forbidden): persistentvolumes is forbidden: User "jane" cannot list resource "persistentvolumes" in API group "" at the cluster scope' >&2
	echo 'Error from server (Forbidden): poddisruptionbudgets.policy is forbidden: User "jane" cannot list resource "poddisruptionbudgets" in API group "policy" at the cluster scope' >&2
	exit 1;;
esac
echo 'Warning: something is old' >&2
echo '{}'`)
	text, warnings, err := reading(t, Cluster{})
	require.NoError(t, err)
	assert.Equal(t, "{}\n", text)
	assert.Equal(t, []string{
		all, strings.Replace(all, ",sc", "", 1), "get nodes,pods,priorityclasses,namespaces,pvc,csinodes,csidrivers,quota -A -o json",
	}, called())
	require.Len(t, warnings, 5)
	assert.Equal(t, `sc are left out: error: the server doesn't have a resource type "sc"`, warnings[0])
	assert.Contains(t, warnings[1], `pdb are left out: Error from server (Forbidden): poddisruptionbudgets.policy is forbidden: User "jane"`)
	assert.Contains(t, warnings[2], "pv are left out: ")
	assert.Equal(t, `"kubectl whatif clusterrole" prints a ClusterRole that allows them`, warnings[3])
	assert.Equal(t, "something is old", warnings[4])
}

func TestFailures(t *testing.T) {
	kubectl(t, `echo 'Error from server (Forbidden): nodes is forbidden: User "jane" cannot list resource "nodes" in API group "" at the cluster scope' >&2; exit 1`)
	_, _, err := reading(t, Cluster{Context: "prod"})
	assert.EqualError(t, err, `kubectl failed (exit status 1): Error from server (Forbidden): nodes is forbidden: User "jane" cannot list resource "nodes" `+
		`in API group "" at the cluster scope; "kubectl whatif clusterrole" prints a ClusterRole that allows it; to see it by itself, run kubectl `+all+" --context=prod")

	kubectl(t, `echo 'error: context "prod" does not exist' >&2; exit 1`)
	_, _, err = reading(t, Cluster{Context: "prod"})
	assert.ErrorContains(t, err, `kubectl failed (exit status 1): error: context "prod" does not exist; to see it`)

	kubectl(t, `head -c 300000 /dev/zero | tr '\0' 'x' >&2; exit 3`)
	_, _, err = reading(t, Cluster{})
	require.Error(t, err)
	assert.Less(t, len(err.Error()), 70000)

	// An unreadable output is reported, unless kubectl has a message.
	broken := errors.New("broken")
	kubectl(t, `head -c 3000000 /dev/zero`)
	_, err = Cluster{}.Read(context.Background(), func(io.Reader) error { return broken })
	assert.ErrorIs(t, err, broken)

	t.Setenv("PATH", t.TempDir())
	_, _, err = reading(t, Cluster{})
	assert.ErrorContains(t, err, "kubectl is not installed here, or not in the PATH")
	assert.ErrorContains(t, err, "run kubectl "+all+" > dump.json, and give the file with --cluster")
}

// A client that cannot reach its server logs each attempt before it says so.
func TestNoise(t *testing.T) {
	kubectl(t, `for i in 1 2 3; do echo "E1122 20:27:19.98099$i   32544 memcache.go:265] \"Unhandled Error\" err=\"connection refused\"" >&2; done
echo "The connection to the server localhost:8080 was refused" >&2; exit 1`)
	_, _, err := reading(t, Cluster{})
	assert.EqualError(t, err, "kubectl failed (exit status 1): The connection to the server localhost:8080 was refused; to see it by itself, run kubectl "+all)
	kubectl(t, `for i in 1 2 3; do echo "E1122 20:27:19.98099$i   32544 memcache.go:265] refused" >&2; done; exit 1`)
	_, _, err = reading(t, Cluster{})
	assert.EqualError(t, err, "kubectl failed (exit status 1): refused; to see it by itself, run kubectl "+all, "where there is nothing else, once")
}

func TestNamespace(t *testing.T) {
	called := kubectl(t, "printf shop")
	assert.Equal(t, "shop", Cluster{Context: "prod"}.Namespace(context.Background()))
	assert.Equal(t, []string{"config view --minify -o jsonpath={.contexts[0].context.namespace} --context=prod"}, called())
	kubectl(t, "echo 'error: current-context must exist in order to minify' >&2; exit 1")
	assert.Empty(t, Cluster{}.Namespace(context.Background()))
}

// The end of the context is the end of kubectl.
func TestReadEnds(t *testing.T) {
	kubectl(t, "exec sleep 86400") // the test does not end before kubectl does
	ctx, cancel := context.WithTimeout(context.Background(), 50*time.Millisecond)
	defer cancel()
	_, err := Cluster{}.Read(ctx, func(r io.Reader) error { _, err := io.ReadAll(r); return err })
	assert.Error(t, err)
}

// A child that kubectl leaves behind holds its output open; kubectl's own output counts.
func TestChildIsLeftBehind(t *testing.T) {
	there := filepath.Join(t.TempDir(), "there")
	require.NoError(t, os.WriteFile(there, nil, 0o644))
	child := "(while [ -e " + there + " ]; do sleep 0.2; done) & "
	kubectl(t, child+"case $1 in get) echo '{}';; *) printf shop;; esac")
	c := Cluster{Patience: time.Second}
	text, warnings, err := reading(t, c)
	require.NoError(t, err)
	assert.Empty(t, warnings)
	assert.Equal(t, "{}\n", text)
	assert.Equal(t, "shop", c.Namespace(t.Context()))

	kubectl(t, child+"echo no >&2; exit 3")
	_, _, err = reading(t, c)
	assert.ErrorContains(t, err, "kubectl failed (exit status 3): no")
}
