package small

import (
	"os"
	"testing"
)

// TestMain ends the process by os.Exit, as test binaries do.
func TestMain(m *testing.M) { os.Exit(m.Run()) }

func TestSome(t *testing.T) {
	for _, got := range []bool{
		both(true, true), !both(true, false), !both(false, true),
		either(true, false, false), either(false, true, true), !either(false, false, true),
		neither(false, false), !neither(true, false), !neither(false, true),
	} {
		if !got {
			t.Error("wrong")
		}
	}
	if few(2) != "few" || few(3) != "some" || few(4) != "many" || kind(1) != "number" || kind(nil) != "" {
		t.Error("wrong")
	}
	if size(-1) != "odd" || size(10) != "odd" || size(5) != "" || within([]int{1, 5}, 3) != 6 || within([]int{-1, 5}, 3) != 0 {
		t.Error("wrong")
	}
}
