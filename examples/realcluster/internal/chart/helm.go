// Package chart answers whether anything is lost while a release of the Helm chart changes. It installs the
// chart of a second scheduler on a control plane and runs the pods of the release as processes.
package chart

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
)

// The release. Its name is also the name of the profile that pods ask for.
const (
	Release   = "outrank-scheduler"
	Namespace = "outrank-system"
	// User is the user name of the release's service account.
	User = "system:serviceaccount:" + Namespace + ":" + Release
)

// Helm runs helm.
type Helm struct {
	// Program is the path of helm, Chart the folder of the chart, Kubeconfig the credentials of an
	// administrator, and Home a folder for helm's own files.
	Program, Chart, Kubeconfig, Home string
}

// within is the time limit for a change of the release.
const within = "3m"

// Upgrade installs or changes the release with the given values (--set), and waits until its pods are ready.
func (h *Helm) Upgrade(ctx context.Context, values ...string) error {
	args := []string{"upgrade", Release, h.Chart, "--install", "--create-namespace", "--wait", "--timeout", within}
	for _, v := range values {
		args = append(args, "--set", v)
	}
	return h.run(ctx, args...)
}

// Rollback returns the release to a revision, counted from 1, and waits until its pods are ready.
func (h *Helm) Rollback(ctx context.Context, revision int) error {
	return h.run(ctx, "rollback", Release, strconv.Itoa(revision), "--wait", "--timeout", within)
}

// Uninstall removes the release and waits until its pods are gone.
func (h *Helm) Uninstall(ctx context.Context) error {
	return h.run(ctx, "uninstall", Release, "--wait", "--timeout", within)
}

func (h *Helm) run(ctx context.Context, args ...string) error {
	cmd := exec.CommandContext(ctx, h.Program, append(args, "--namespace", Namespace, "--kubeconfig", h.Kubeconfig)...)
	cmd.Env = os.Environ()
	for _, of := range []string{"CACHE", "CONFIG", "DATA"} {
		cmd.Env = append(cmd.Env, "HELM_"+of+"_HOME="+filepath.Join(h.Home, of))
	}
	out, err := cmd.CombinedOutput()
	if err != nil {
		return fmt.Errorf("helm %s: %w\n%s", args[0], err, bytes.TrimSpace(out))
	}
	return nil
}
