package kubeletadmit_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/kubeletadmit"
)

// Nobody is evicted for a resize where the scheduler has pods leave for it, and the pod
// has all of its failures back (rule 17.4.8). Adding is as it was.
func TestResizesEvictNobody(t *testing.T) {
	on, err := outrank.V1_37.With(map[string]bool{"InPlacePodVerticalScalingSchedulerPreemption": true})
	require.NoError(t, err)
	critical := newPod("critical", req("cpu", "3"))
	critical.Priority = outrank.Priority(2_000_000_000)
	critical.NodeSelector = map[string]string{"disk": "fast"}
	fits := *critical
	fits.NodeSelector = nil
	plain := fits
	plain.Priority = outrank.Priority(5)
	node, active := newNode("cpu", "4"), []*outrank.Pod{newPod("low", req("cpu", "2"))}
	for _, c := range []struct {
		name      string
		release   outrank.Release
		operation kubeletadmit.Operation
		pod       *outrank.Pod
		want      kubeletadmit.Outcome
		returned  int
	}{
		{"added", on, kubeletadmit.Add, &fits, kubeletadmit.AdmittedAfterEvicting, 0},
		{"resized", on, kubeletadmit.Resize, &fits, kubeletadmit.Rejected, 1},
		{"resized without the gate", outrank.V1_37, kubeletadmit.Resize, &fits, kubeletadmit.AdmittedAfterEvicting, 0},
		{"resized in v1.36", outrank.V1_36, kubeletadmit.Resize, &fits, kubeletadmit.AdmittedAfterEvicting, 0},
		{"added, with another failure", on, kubeletadmit.Add, critical, kubeletadmit.Rejected, 1},
		{"resized, with another failure", on, kubeletadmit.Resize, critical, kubeletadmit.Rejected, 2},
		{"not critical", on, kubeletadmit.Resize, &plain, kubeletadmit.Rejected, 1},
	} {
		t.Run(c.name, func(t *testing.T) {
			a := kubeletadmit.Config{Release: c.release, Operation: c.operation}
			adm, err := kubeletadmit.Admit(node, active, c.pod, a)
			require.NoError(t, err)
			assert.Equal(t, c.want, adm.Outcome)
			assert.Len(t, adm.Returned, c.returned)
			failures, err := kubeletadmit.Check(node, active, c.pod, a)
			require.NoError(t, err)
			again, err := kubeletadmit.Resolve(c.pod, active, failures, a)
			require.NoError(t, err)
			assert.Equal(t, adm, again)
			if c.operation == kubeletadmit.Resize && c.release == on {
				assert.Equal(t, failures, adm.Returned, "as they are")
				assert.Equal(t, failures[0].Reason(), adm.Reason)
			}
		})
	}
	room, err := kubeletadmit.Admit(newNode("cpu", "5"), active, &fits, kubeletadmit.Config{Release: on, Operation: kubeletadmit.Resize})
	require.NoError(t, err)
	assert.Equal(t, kubeletadmit.Admitted, room.Outcome)
}

func TestUnknownOperation(t *testing.T) {
	_, err := kubeletadmit.Admit(newNode(), nil, newPod("p", nil), kubeletadmit.Config{Operation: "shrink"})
	require.ErrorIs(t, err, outrank.ErrInvalid)
	require.ErrorContains(t, err, `config: Operation: "shrink" is none of "", "resize"`)
}
