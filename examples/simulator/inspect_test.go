package main

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

// A demand for a resource that no node has is no 0 % of it.
func TestShareOfNothing(t *testing.T) {
	dir := t.TempDir()
	nodes, pods := filepath.Join(dir, "nodes.csv"), filepath.Join(dir, "pods.csv")
	require.NoError(t, os.WriteFile(nodes, []byte("sn,cpu_milli,memory_mib,gpu,model\na,4000,8192,0,\n"), 0o600))
	require.NoError(t, os.WriteFile(pods, []byte("name,cpu_milli,memory_mib,num_gpu,gpu_milli,qos,creation_time,deletion_time\n"+
		"p,1000,4096,2,1000,LS,0,20\nq,1000,0,0,0,LS,10,20\n"), 0o600))
	out := answered(t, "-nodes", nodes, "-pods", pods, "-inspect")
	require.Contains(t, out, "\n  0.0s         1             1  25%     50%     -\n", out)
}
