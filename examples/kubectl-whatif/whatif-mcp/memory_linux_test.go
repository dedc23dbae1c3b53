package main

import (
	"bufio"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// peakOf is the most memory that a process has had so far, in bytes; 0 once it is over.
func peakOf(pid int) (bytes int64) {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		return 0
	}
	_, rest, _ := strings.Cut(string(text), "VmHWM:")
	_, _ = fmt.Sscan(rest, &bytes)
	return bytes << 10
}

// dumpOf is a dump of about so many bytes, of pods with what kubectl prints of most of them.
func dumpOf(size int) string {
	var dump strings.Builder
	dump.WriteString(`{"kind":"List","items":[{"kind":"Node","metadata":{"name":"n"},"status":{"allocatable":{"cpu":"4","pods":"110"}}}`)
	for i := 0; dump.Len() < size; i++ {
		fmt.Fprintf(&dump, `,{"kind":"Pod","metadata":{"name":"p-%d","namespace":"default","labels":{"app":"a-%d"}},"spec":{"nodeName":"n","priority":%d,`+
			`"containers":[{"name":"main","image":"registry.example/app:1","env":[{"name":"ZONE","value":"a"}],"ports":[{"containerPort":8080,"protocol":"TCP"}],`+
			`"resources":{"requests":{"cpu":"1m","memory":"1Mi"},"limits":{"memory":"2Mi"}},"terminationMessagePath":"/dev/termination-log","terminationMessagePolicy":"File",`+
			`"volumeMounts":[{"mountPath":"/var/run/secrets/kubernetes.io/serviceaccount","name":"kube-api-access","readOnly":true}]}],"dnsPolicy":"ClusterFirst","restartPolicy":"Always",`+
			`"schedulerName":"default-scheduler","serviceAccountName":"default","terminationGracePeriodSeconds":30},`+
			`"status":{"conditions":[{"type":"Initialized","status":"True"},{"type":"Ready","status":"True"},{"type":"PodScheduled","status":"True"}],"hostIP":"10.0.0.1","phase":"Running",`+
			`"podIP":"10.1.0.1","qosClass":"Burstable","startTime":"2026-01-01T00:00:00Z"}}`, i, i%100, i%7)
	}
	dump.WriteString(`]}`)
	return dump.String()
}

// serverPeak is the most memory of the server once it has answered a question about a dump.
func serverPeak(t *testing.T, dump string) int64 {
	cmd := exec.Command(filepath.Join(programs, "whatif-mcp"))
	in, err := cmd.StdinPipe()
	require.NoError(t, err)
	out, err := cmd.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, cmd.Start())
	fmt.Fprintln(in, `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"x","version":"1"}}}`)
	fmt.Fprintln(in, `{"jsonrpc":"2.0","method":"notifications/initialized"}`)
	fmt.Fprintf(in, `{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"pod","arguments":{"cpu":"1","dump":%q}}}`+"\n", dump)
	for answers := bufio.NewReader(out); ; {
		line, err := answers.ReadString('\n')
		require.NoError(t, err)
		if strings.Contains(line, `"id":2`) {
			require.Contains(t, line, "whatif/v1")
			break
		}
	}
	peak := peakOf(cmd.Process.Pid)
	require.NoError(t, in.Close())
	require.NoError(t, cmd.Wait())
	return peak
}

// programPeak is that of the program that answers, looked at until it ends.
func programPeak(t *testing.T, dump string) (peak int64) {
	cmd := exec.Command(filepath.Join(programs, "kubectl-whatif"), "--cluster=-", "--cpu=1", "-o", "json")
	cmd.Stdin, cmd.Env = strings.NewReader(dump), append(os.Environ(), "GOGC=50") // as the server runs it
	require.NoError(t, cmd.Start())
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	for {
		select {
		case err := <-ended:
			require.NoError(t, err)
			return peak
		default:
			peak = max(peak, peakOf(cmd.Process.Pid))
		}
	}
}

// The program that answers takes at most ten times what a dump has, beside what it takes for a
// small one, and the server ten times the message with the dump, in which every quote is escaped.
func TestMemoryOfADump(t *testing.T) {
	small, large := dumpOf(1), dumpOf(8<<20)
	for _, c := range []struct {
		name string
		peak func(*testing.T, string) int64
		size int
	}{{"program", programPeak, len(large)}, {"server", serverPeak, len(strconv.Quote(large))}} {
		of, beside := c.peak(t, large), c.peak(t, small)
		t.Logf("%s: %d MB for a dump of %d, %d MB for a small one", c.name, of>>20, len(large)>>20, beside>>20)
		assert.Greater(t, of, int64(len(large)))
		assert.Less(t, of-beside, int64(10*c.size), c.name)
	}
}
