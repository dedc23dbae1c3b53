package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// A line that is no message is answered with an error, and the server goes on.
func TestLinesThatAreNoMessages(t *testing.T) {
	cmd := exec.Command(filepath.Join(programs, "whatif-mcp"))
	in, err := cmd.StdinPipe()
	require.NoError(t, err)
	out, err := cmd.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, cmd.Start())
	answers := bufio.NewReader(out)
	send := func(line string) {
		_, err := io.WriteString(in, line+"\n")
		require.NoError(t, err)
	}
	answer := func(about string) (m struct {
		ID     json.RawMessage
		Result json.RawMessage
		Error  *struct {
			Code    int
			Message string
		}
	}) {
		line, err := answers.ReadBytes('\n')
		require.NoError(t, err, about)
		require.NoError(t, json.Unmarshal(line, &m), about)
		return m
	}

	odd := map[string]int{
		`{}`: invalidRequest, `null`: invalidRequest, `[]`: invalidRequest, `7`: invalidRequest, `"text"`: invalidRequest, `[{}]`: invalidRequest,
		`{"jsonrpc":"1.0","id":1,"method":"ping"}`: invalidRequest, `{"jsonrpc":"2.0"}`: invalidRequest, `{"jsonrpc":"2.0","id":1}`: invalidRequest,
		`{"jsonrpc":"2.0","id":{},"method":"ping"}`: invalidRequest, `{"jsonrpc":"2.0","id":1,"method":7}`: invalidRequest, `{"jsonrpc":"2.0","id":1,"method":"ping","params":7}`: invalidRequest,
		`{`: parseError, `}{`: parseError, `{"jsonrpc":"2.0","id":1,"method":"ping"} {}`: parseError, "\x00\xff": parseError, `nul`: parseError,
		`{"jsonrpc":"2.0","id":9,"method":"tools/call","params":{"a":"` + strings.Repeat("x", 33<<20) + `"}}`: invalidRequest,
	}
	ask := func(id int, method, params string) {
		send(fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":%q,"params":%s}`, id, method, params))
	}
	id := 1
	for line, code := range odd {
		send("") // an empty line is nothing at all
		send(line)
		m := answer(line[:min(40, len(line))])
		require.NotNil(t, m.Error, line[:min(40, len(line))])
		assert.Equal(t, code, m.Error.Code, line[:min(40, len(line))])
		assert.Equal(t, "null", string(m.ID))
		assert.NotEmpty(t, m.Error.Message)

		if id == 1 {
			ask(1, "initialize", `{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"x","version":"1"}}`)
			require.Nil(t, answer("initialize").Error)
			send(`{"jsonrpc":"2.0","method":"notifications/initialized"}`)
		}
		id++
		ask(id, "tools/call", `{"name":"pod","arguments":{"pending":"shop/checkout-2"}}`)
		m = answer("pod")
		assert.Equal(t, fmt.Sprint(id), string(m.ID))
		assert.Contains(t, string(m.Result), "whatif/v1")
	}
	require.NoError(t, in.Close())
	_, err = io.Copy(io.Discard, answers)
	require.NoError(t, err)
	require.NoError(t, cmd.Wait())
}
