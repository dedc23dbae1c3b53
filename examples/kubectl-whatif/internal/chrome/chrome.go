// Package chrome lets tests ask what a page does in a browser: what it shows, what it fetches, and what the
// browser complains about.
package chrome

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// local matches addresses that need no network.
var local = regexp.MustCompile(`^(file|data|blob):`)

// browsers are the programs that are looked for, in this order.
var browsers = []string{"chromium", "chromium-browser", "google-chrome", "google-chrome-stable"}

// Browser is a headless browser that is driven over a pipe, by the protocol of its developer tools.
type Browser struct {
	t       *testing.T
	to      io.Writer
	session string

	// mu guards last, answers, told and fetched.
	mu sync.Mutex
	// last is the number of the last command. answers has, for each command, the channel that waits for its
	// answer.
	last    int
	answers map[int]chan message
	// loaded receives a value for each page that has loaded.
	loaded chan struct{}
	// told has all messages from the console and the log of the browser. fetched has the addresses of all
	// requests that need a network.
	told, fetched []string
}

// message is what the browser sends: the answer to a command, or an event.
type message struct {
	ID        int             `json:"id"`
	Method    string          `json:"method"`
	Params    json.RawMessage `json:"params"`
	Result    json.RawMessage `json:"result"`
	SessionID string          `json:"sessionId"`
	Error     *struct{ Message string }
}

// Start starts the browser, or skips the test if none is installed. The browser ends with the test.
func Start(t *testing.T) *Browser {
	t.Helper()
	program := installed(t)

	// The browser reads commands from file descriptor 3 and writes messages to file descriptor 4.
	toRead, to, err := os.Pipe()
	require.NoError(t, err)
	from, fromWrite, err := os.Pipe()
	require.NoError(t, err)

	args := []string{"--headless=new", "--disable-gpu", "--disable-background-networking", "--disable-component-update", "--disable-sync", "--no-first-run", "--disable-extensions", "--remote-debugging-pipe", "--user-data-dir=" + t.TempDir()}
	if os.Geteuid() == 0 {
		args = append(args, "--no-sandbox")
	}

	// Only the browser keeps its ends of the pipes open, so that they close when it ends.
	cmd := exec.Command(program, append(args, "about:blank")...)
	cmd.ExtraFiles = []*os.File{toRead, fromWrite}
	require.NoError(t, cmd.Start())
	require.NoError(t, toRead.Close())
	require.NoError(t, fromWrite.Close())

	c := &Browser{t: t, to: to, answers: map[int]chan message{}, loaded: make(chan struct{}, 16)}
	read := make(chan struct{})
	go func() { defer close(read); c.read(from) }()
	t.Cleanup(func() {
		c.end(cmd)
		_ = to.Close()
		_ = from.Close()
		<-read
	})
	c.attach()
	return c
}

// installed finds a browser, or skips the test.
func installed(t *testing.T) string {
	t.Helper()
	for _, name := range browsers {
		if path, err := exec.LookPath(name); err == nil {
			return path
		}
	}
	t.Skipf("no browser is installed to open the page in: none of %v", browsers)
	return ""
}

// end asks the browser to end, and kills it if it does not.
func (c *Browser) end(cmd *exec.Cmd) {
	c.Call("Browser.close", nil)
	done := make(chan struct{})
	go func() { defer close(done); _ = cmd.Wait() }()
	select {
	case <-done:
	case <-time.After(20 * time.Second):
		_ = cmd.Process.Kill()
		<-done
	}
}

// attach opens a page and listens to all its messages.
func (c *Browser) attach() {
	c.t.Helper()
	var target struct{ TargetID string }
	c.Ask("Target.createTarget", map[string]any{"url": "about:blank"}, &target)
	var session struct{ SessionID string }
	c.Ask("Target.attachToTarget", map[string]any{"targetId": target.TargetID, "flatten": true}, &session)
	c.session = session.SessionID
	for _, domain := range []string{"Page", "Runtime", "Log", "Network"} {
		c.Call(domain+".enable", nil)
	}
}

// read takes the browser's messages one by one. Each ends with a zero byte.
func (c *Browser) read(from io.Reader) {
	r := bufio.NewReaderSize(from, 1<<20)
	for {
		text, err := r.ReadBytes(0)
		if err != nil {
			return
		}
		var m message
		if json.Unmarshal(text[:len(text)-1], &m) != nil {
			continue
		}

		c.mu.Lock()
		if answer, ok := c.answers[m.ID]; ok && m.ID != 0 {
			delete(c.answers, m.ID)
			answer <- m
		}
		c.note(&m)
		c.mu.Unlock()
	}
}

// note records the events that tests ask about.
func (c *Browser) note(m *message) {
	switch m.Method {
	case "Page.loadEventFired":
		c.loaded <- struct{}{}
	case "Runtime.consoleAPICalled", "Runtime.exceptionThrown", "Log.entryAdded":
		c.told = append(c.told, m.Method+" "+string(m.Params))
	case "Network.requestWillBeSent":
		var sent struct{ Request struct{ URL string } }
		if json.Unmarshal(m.Params, &sent) == nil && !local.MatchString(sent.Request.URL) {
			c.fetched = append(c.fetched, sent.Request.URL)
		}
	}
}

// Call sends a command and waits for the answer.
func (c *Browser) Call(method string, params any) json.RawMessage {
	c.t.Helper()

	// The channel is registered before the command is sent, so that no answer can come too early.
	answer := make(chan message, 1)
	c.mu.Lock()
	c.last++
	command := map[string]any{"id": c.last, "method": method}
	if params != nil {
		command["params"] = params
	}
	if c.session != "" && !strings.HasPrefix(method, "Browser.") {
		command["sessionId"] = c.session
	}
	c.answers[c.last] = answer
	c.mu.Unlock()

	// A zero byte ends a command.
	text, err := json.Marshal(command)
	require.NoError(c.t, err)
	_, err = c.to.Write(append(text, 0))
	require.NoError(c.t, err)

	select {
	case m := <-answer:
		require.Nil(c.t, m.Error, method)
		return m.Result
	case <-time.After(5 * time.Minute):
		require.FailNow(c.t, "the browser does not answer", method)
	}
	return nil
}

// Ask sends a command and reads the answer into a value.
func (c *Browser) Ask(method string, params, into any) {
	c.t.Helper()
	require.NoError(c.t, json.Unmarshal(c.Call(method, params), into))
}

// Open writes a page to a file and opens it.
func (c *Browser) Open(text []byte) {
	c.t.Helper()
	file := filepath.Join(c.t.TempDir(), "page.html")
	require.NoError(c.t, os.WriteFile(file, text, 0o600))
	c.Visit("file://" + file)
}

// Visit opens an address.
func (c *Browser) Visit(url string) {
	c.t.Helper()

	// Pages that were loaded earlier do not count.
	for len(c.loaded) > 0 {
		<-c.loaded
	}
	c.Call("Page.navigate", map[string]any{"url": url})
	select {
	case <-c.loaded:
	case <-time.After(time.Minute):
		require.FailNow(c.t, "the page is not loaded")
	}
}

// Look sets the width of the window and the reader's preferences, given as alternating names and values.
func (c *Browser) Look(width int, features ...string) {
	c.t.Helper()
	c.Call("Emulation.setDeviceMetricsOverride", map[string]any{"width": width, "height": 900, "deviceScaleFactor": 1, "mobile": width < 600})
	list := []map[string]string{}
	for i := 0; i < len(features); i += 2 {
		list = append(list, map[string]string{"name": features[i], "value": features[i+1]})
	}
	c.Call("Emulation.setEmulatedMedia", map[string]any{"media": "screen", "features": list})
}

// Eval runs JavaScript on the page and decodes its value into another one. If the value is a promise, Eval
// waits for it.
func (c *Browser) Eval(script string, into any) {
	c.t.Helper()
	var out struct {
		Result           struct{ Value json.RawMessage }
		ExceptionDetails json.RawMessage
	}
	c.Ask("Runtime.evaluate", map[string]any{"expression": script, "returnByValue": true, "awaitPromise": true}, &out)
	require.Empty(c.t, out.ExceptionDetails, "%s", out.ExceptionDetails)
	require.NoError(c.t, json.Unmarshal(out.Result.Value, into), script)
}

// Press presses and releases a key.
func (c *Browser) Press(key string) {
	c.t.Helper()
	code := map[string]int{"Tab": 9, "ArrowRight": 39, "ArrowLeft": 37, "Home": 36, "End": 35, "Escape": 27, "Enter": 13}[key]
	for _, kind := range []string{"rawKeyDown", "keyUp"} {
		c.Call("Input.dispatchKeyEvent", map[string]any{"type": kind, "key": key, "code": key, "windowsVirtualKeyCode": code})
	}
}

// Silent checks that, since the last look, the browser has not complained and has fetched nothing from a
// network.
func (c *Browser) Silent(what string) {
	c.t.Helper()
	c.mu.Lock()
	defer c.mu.Unlock()
	assert.Empty(c.t, c.told, "the console of %s", what)
	assert.Empty(c.t, c.fetched, "the network of %s", what)
	c.told, c.fetched = nil, nil
}

// Fetched returns the addresses that were fetched from a network since the last look.
func (c *Browser) Fetched() []string {
	c.mu.Lock()
	defer c.mu.Unlock()
	fetched := c.fetched
	c.fetched = nil
	return fetched
}

// Screenshot writes a picture of the whole page to the folder that an environment variable names, for people to
// look at. It does nothing without the variable.
func (c *Browser) Screenshot(name string) {
	folder := os.Getenv("WHATIF_SCREENSHOTS")
	if folder == "" {
		return
	}
	c.t.Helper()
	var shot struct{ Data []byte }
	c.Ask("Page.captureScreenshot", map[string]any{"captureBeyondViewport": true}, &shot)
	require.NoError(c.t, os.WriteFile(filepath.Join(folder, name+".png"), shot.Data, 0o600), fmt.Sprint(name))
}
