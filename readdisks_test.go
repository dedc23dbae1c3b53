package outrank_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/outrank-go/outrank"
)

// Each kind of disk is read with and without its flag readOnly.
func TestReadOnlyDisks(t *testing.T) {
	for _, c := range []struct {
		text string // %s is where the flag stands
		want outrank.Disk
	}{
		{`"gcePersistentDisk":{"pdName":"d"%s}`, outrank.Disk{Kind: outrank.GCEPersistentDisk, ID: "d"}},
		{`"awsElasticBlockStore":{"volumeID":"d"%s}`, outrank.Disk{Kind: outrank.AWSElasticBlockStore, ID: "d"}},
		{`"iscsi":{"iqn":"d"%s}`, outrank.Disk{Kind: outrank.ISCSI, ID: "d"}},
		{`"rbd":{"monitors":["m"],"image":"d"%s}`, outrank.Disk{Kind: outrank.RBD, ID: "rbd/d", Monitors: []string{"m"}}},
		{`"rbd":{"monitors":["m"],"pool":"p","image":"d"%s}`, outrank.Disk{Kind: outrank.RBD, ID: "p/d", Monitors: []string{"m"}}},
	} {
		for flag, readOnly := range map[string]bool{"": false, `,"readOnly":false`: false, `,"readOnly":true`: true} {
			text := fmt.Sprintf(`{"kind":"Pod","metadata":{"name":"p"},"spec":{"volumes":[{"name":"v",`+c.text+`}]}}`, flag)
			pod, err := outrank.ReadPod(strings.NewReader(text))
			require.NoError(t, err, text)
			c.want.ReadOnly = readOnly
			assert.Equal(t, []outrank.Volume{{Disk: c.want}}, pod.Volumes, text)
		}
	}
}
