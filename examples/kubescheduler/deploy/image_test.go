package deploy

import (
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// standIn is a program in the scheduler's place that says who and where it is.
const standIn = `package main

import (
	"fmt"
	"os"
	"path/filepath"
)

func main() {
	var files []string
	filepath.WalkDir("/usr", func(path string, d os.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			files = append(files, path)
		}
		return nil
	})
	path, _ := os.Executable()
	fmt.Println(os.Getuid(), os.Getgid(), path, os.Getenv("PATH"), files)
}
`

// The image is made without a network, has the program alone, and does not run as root. It is
// found as kube-scheduler, which static pods of kubeadm ask for.
func TestImage(t *testing.T) {
	buildah, err := exec.LookPath("buildah")
	if err != nil || runtime.GOOS != "linux" || os.Geteuid() != 0 {
		t.Log("NOT CHECKED: this takes buildah and root; examples/realcluster -chart runs the same layout")
		return
	}
	context := t.TempDir()
	source := filepath.Join(t.TempDir(), "main.go")
	require.NoError(t, os.WriteFile(source, []byte(standIn), 0o600))
	build := exec.Command("go", "build", "-o", filepath.Join(context, "another-name"), source)
	build.Env = append(os.Environ(), "CGO_ENABLED=0")
	out, err := build.CombinedOutput()
	require.NoError(t, err, "%s", out)

	store := t.TempDir()
	run := func(args ...string) string {
		t.Helper()
		args = append([]string{"--storage-driver", "vfs", "--root", filepath.Join(store, "root"), "--runroot", filepath.Join(store, "run")}, args...)
		cmd := exec.Command(buildah, args...)
		var trouble strings.Builder
		cmd.Stderr = &trouble
		out, err := cmd.Output()
		require.NoError(t, err, "%s\n%s", args, trouble.String())
		return strings.TrimSpace(string(out))
	}
	run("build", "--isolation", "chroot", "--build-arg", "PROGRAM=another-name", "-t", "scheduler", "-f", "Containerfile", context)
	assert.Equal(t, `65532:65532 [/usr/local/bin/kube-scheduler] []`,
		run("inspect", "--type", "image", "--format", "{{.OCIv1.Config.User}} {{.OCIv1.Config.Entrypoint}} {{.OCIv1.Config.Cmd}}", "scheduler"))
	from := run("from", "--pull-never", "scheduler")
	assert.Equal(t, "65532 65532 /usr/local/bin/kube-scheduler /usr/local/bin [/usr/local/bin/kube-scheduler]",
		run("run", "--isolation", "chroot", from, "--", "kube-scheduler"))
}
