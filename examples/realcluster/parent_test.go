package main

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/outrank-go/outrank/examples/realcluster/internal/controlplane"
)

// partVariable makes the test's program play a part in place of testing.
const partVariable = "REALCLUSTER_TEST_PART"

func TestMain(m *testing.M) {
	switch os.Getenv(partVariable) {
	case "parent": // as go run does, it waits for its child and passes nothing on
		if err := part("child").Run(); err != nil {
			os.Exit(1)
		}
		os.Exit(0)
	case "child":
		os.Exit(child())
	}
	os.Exit(m.Run())
}

// part is the test's program in a part.
func part(name string) *exec.Cmd {
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), partVariable+"="+name)
	cmd.Stdout, cmd.Stderr = os.Stdout, os.Stderr
	return cmd
}

// child starts a process that is paused and deaf, says who is there, and ends it after its
// parent.
func child() int {
	ctx, stop := withParent(context.Background())
	defer stop()
	dir, err := os.MkdirTemp("", "parent")
	if err != nil {
		return 1
	}
	defer os.RemoveAll(dir)
	p, err := controlplane.Start("sleeper", "/bin/sh", dir, "-c", "trap '' TERM HUP; exec sleep 100")
	if err != nil || p.Pause() != nil {
		return 1
	}
	fmt.Println(os.Getpid(), p.ID())
	<-ctx.Done()
	if context.Cause(ctx) != errParent {
		return 1
	}
	fmt.Println("nobody reads this")
	p.Stop(100 * time.Millisecond)
	return 0
}

// processes starts a parent and its child, and returns the ids of parent, child and the
// process that the child has started.
func processes(t *testing.T) (parent *exec.Cmd, ids []int) {
	parent = part("parent")
	parent.Stdout = nil
	out, err := parent.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, parent.Start())
	line, err := bufio.NewReader(out).ReadString('\n')
	require.NoError(t, err)
	ids = append(ids, parent.Process.Pid)
	for field := range strings.FieldsSeq(line) {
		id, err := strconv.Atoi(field)
		require.NoError(t, err)
		ids = append(ids, id)
	}
	require.Len(t, ids, 3)
	t.Cleanup(func() {
		for _, id := range ids[1:] {
			_ = syscall.Kill(id, syscall.SIGKILL)
		}
	})
	return parent, ids
}

func ends(t *testing.T, id int) {
	t.Helper()
	require.Eventually(t, func() bool { return !runs(id) }, 20*time.Second, 20*time.Millisecond)
}

// runs reports whether a process runs. One that nobody has waited for does not.
func runs(id int) bool {
	if syscall.Kill(id, 0) != nil {
		return false
	}
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", id))
	return err != nil || !strings.Contains(string(stat), ") Z ")
}

// Whatever has started this program may be killed: everything ends, a paused process too.
func TestAllEndsWithTheParent(t *testing.T) {
	parent, ids := processes(t)
	for _, id := range ids {
		require.True(t, runs(id))
	}
	require.NoError(t, syscall.Kill(ids[0], syscall.SIGKILL))
	_ = parent.Wait()
	ends(t, ids[1])
	ends(t, ids[2])
}

// As long as the parent lives the context does.
func TestAParentThatLives(t *testing.T) {
	ctx, stop := withParent(t.Context())
	select {
	case <-ctx.Done():
		t.Error(context.Cause(ctx))
	case <-time.After(3 * parentSeen):
	}
	stop()
	<-ctx.Done()
	assert.ErrorIs(t, context.Cause(ctx), context.Canceled)
}
