package controlplane

import (
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// A container has its own files and environment alone, and is not root.
func TestContainer(t *testing.T) {
	c := Container{Root: t.TempDir(), Command: "/bin/show", Args: []string{"a", "b"}, Env: []string{"HERE=container"}, User: 65532}
	if runtime.GOOS != "linux" || os.Geteuid() != 0 {
		_, err := StartContainer("show", t.TempDir(), c)
		require.ErrorIs(t, err, ErrContainer)
		return
	}
	source := filepath.Join(t.TempDir(), "main.go")
	require.NoError(t, os.WriteFile(source, []byte(`package main

import ("fmt"; "os")

func main() {
	top, _ := os.ReadDir("/")
	fmt.Println(os.Getuid(), os.Getgid(), os.Args[1:], os.Environ(), len(top))
}
`), 0o600))
	build := exec.Command("go", "build", "-o", filepath.Join(c.Root, "bin/show"), source)
	build.Env = append(os.Environ(), "CGO_ENABLED=0")
	out, err := build.CombinedOutput()
	require.NoError(t, err, "%s", out)
	require.NoError(t, os.Chmod(c.Root, 0o755))
	p, err := StartContainer("show", t.TempDir(), c)
	require.NoError(t, err)
	select {
	case <-p.Ended():
	case <-time.After(time.Minute):
		p.Stop(0)
	}
	text, err := os.ReadFile(p.Log)
	require.NoError(t, err)
	assert.Equal(t, "65532 65532 [a b] [HERE=container] 1\n", string(text))
}
