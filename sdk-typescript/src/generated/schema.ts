// Written by scripts/generate.mjs from openapi/openscience.json and docs/. Do not edit: npm run generate.

export interface paths {
    "/agent": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the agents that can be asked for: configured ones, those of the public registry, and what came with the daemon.
         * @description Looks at what is on this machine; nothing is fetched or started.
         */
        get: operations["agent.list"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/agent/connection": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List the agent processes of this daemon, oldest first, with the newest 500 things that happened on each. */
        get: operations["agent.connections"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/agent/connection/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * End an agent process.
         * @description Answers once it is gone with all it started. Turns it works on fail with `agent_exited`; the next
         *     prompt starts another.
         */
        delete: operations["agent.disconnect"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/agent/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Read one agent. */
        get: operations["agent.get"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/agent/{id}/authenticate": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Log in to an agent.
         * @description Only what the agent does alone is done. Where a person has to run a program or set variables the answer
         *     is 409 and `data` says which; end the agent's processes afterwards, so that they start anew.
         */
        post: operations["agent.authenticate"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/artifact/finalize": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Put the files of a claim with their message.
         * @description The daemon does so itself at the end of each turn: this is for a claim that failed, or to be sure. Asked again for
         *     the same message it answers the same list.
         */
        post: operations["artifact.finalize"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/artifact/{id}/preview": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Look at an artifact.
         * @description A page of text, rows of a table, cells of a notebook, or an image with its size. Of a Result, its newest version.
         */
        get: operations["artifact.preview"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/artifact/{id}/raw": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read an artifact's bytes.
         * @description They are compared with their digest before any is sent. What a browser would run is sandboxed. Who has them already
         *     (`If-None-Match`) is told so by 304.
         */
        get: operations["artifact.raw"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/doc": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** This document. */
        get: operations["global.doc"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/event": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Listen to what happens in a project.
         * @description Frames of `data` alone, each `{type, properties}`: `server.connected` first, then whatever this daemon
         *     does in the project from now on, journaled or not, and `server.heartbeat` at each interval. There
         *     is no cursor: who needs every event of a session follows `/runtime/events`. Closed on a client that
         *     falls 2,000 facts behind.
         */
        get: operations["event.subscribe"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/file/artifact": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Keep a file as a version of a Result.
         * @description The same file again is the next version of the same Result.
         */
        post: operations["results.declare"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/file/artifact-store": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List the Results of a project, the newest first. */
        get: operations["results.list"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/file/artifact-store/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Read a Result with all its versions. */
        get: operations["results.get"];
        put?: never;
        post?: never;
        /**
         * Put a Result into the trash.
         * @description It is kept there for thirty days; saving it again takes it out.
         */
        delete: operations["results.trash"];
        options?: never;
        head?: never;
        /** Give a Result another title. */
        patch: operations["results.update"];
        trace?: never;
    };
    "/file/artifact-store/{id}/raw": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read the bytes of a version.
         * @description Who has them already (`If-None-Match`) is told so by 304.
         */
        get: operations["results.raw"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/file/artifact-store/{id}/restore": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Take a Result out of the trash. */
        post: operations["results.restore"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/file/upload": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List uploads, newest first; at most 1,000. */
        get: operations["file.uploads"];
        put?: never;
        /**
         * Hand over a file.
         * @description The body is the file itself, of any type, and goes to the disk as it comes. The answer's `url` names it in a
         *     `file` part of a prompt. A large file may come in pieces: give its `size`, then go on at `offset`.
         */
        post: operations["file.upload"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/file/upload/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Read what is known of an upload. */
        get: operations["file.get"];
        /**
         * Go on with a file.
         * @description The body is the next piece. 409 `upload_offset` tells where it goes on if `offset` is not there.
         */
        put: operations["file.resume"];
        post?: never;
        /**
         * Throw an upload away.
         * @description One that a message names stays: 409 `upload_in_use`.
         */
        delete: operations["file.delete"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/file/upload/{id}/preview": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Look at an upload.
         * @description A page of text, rows of a table, cells of a notebook, or an image with its size.
         */
        get: operations["file.preview"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/global/event": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Listen to what happens in all projects.
         * @description As `/event`, each frame `{directory, payload: {type, properties}}`; those of the daemon itself have no
         *     `directory`.
         */
        get: operations["global.event"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/global/health": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Tell that the daemon answers.
         * @description Needs no token.
         */
        get: operations["global.health"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/metrics": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Read what is at work now, in the text format of Prometheus. */
        get: operations["global.metrics"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/permission": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List the permissions that wait in the sessions of a project. */
        get: operations["permission.list"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/permission/standing": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List what people have allowed for more than one session: the project's grants and those for all. */
        get: operations["permission.standing"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/permission/standing/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * Revoke a standing grant.
         * @description The next request it would have covered is asked again.
         */
        delete: operations["permission.revoke"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/permission/{id}/reply": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Answer a permission by its id alone.
         * @description For older clients: `/runtime/decision` answers with the receipt and tells a conflict. Here a stored receipt
         *     wins, whatever it says.
         */
        post: operations["permission.reply"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/project": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List all projects the daemon knows. */
        get: operations["project.list"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/project/current": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Read the selected project. */
        get: operations["project.current"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/question": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List the questions that wait in the sessions of a project. */
        get: operations["question.list"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/question/{id}/reject": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Dismiss a question by its id alone.
         * @description A body is ignored.
         */
        post: operations["question.reject"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/question/{id}/reply": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Answer a question by its id alone.
         * @description For older clients: `/runtime/decision` answers with the receipt and tells a conflict. Here a stored receipt
         *     wins, whatever it says.
         */
        post: operations["question.reply"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/runtime/cancel": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Cancel a run.
         * @description A run that has ended is answered unchanged. Otherwise its terminal event follows.
         */
        post: operations["runtime.cancel"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/runtime/capabilities": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Tell what this runtime can do. */
        get: operations["runtime.capabilities"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/runtime/decision": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Answer a permission or a question.
         * @description The same answer again gets the same receipt.
         */
        post: operations["runtime.decide"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/runtime/events": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Follow the events of a session.
         * @description Every retained event after the cursor, then each new one, each as a frame of `id` (the sequence),
         *     `event` (the type) and `data` (a RuntimeEvent on one line). A `Last-Event-ID` header that is not
         *     empty beats `afterSequence`. Comments keep the stream alive; it does not end with a run.
         */
        get: operations["runtime.events"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/runtime/events/replay": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read retained events after a cursor.
         * @description At most about 16 MiB at once: go on from the last sequence until the answer is empty.
         */
        get: operations["runtime.replay"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/runtime/prompt": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Submit a prompt.
         * @description Answers once the receipt is durable; the agent works on after the answer. The same `requestID`
         *     with the same prompt gets the same receipt. During a live run the prompt joins it: the answer is that
         *     run's receipt, with the turn the prompt became.
         */
        post: operations["runtime.prompt"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/runtime/run": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read the receipt of a run.
         * @description A prompt that joined a run shares its receipt, with its own turn.
         */
        get: operations["runtime.run"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/runtime/snapshot": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Read where a session stands, and the cursor to follow it from. */
        get: operations["runtime.snapshot"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/session": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List the sessions of a project, newest created first. */
        get: operations["session.list"];
        put?: never;
        /**
         * Create a session.
         * @description Starts no agent. With an `id` it is idempotent: the session of that id is returned if it exists.
         */
        post: operations["session.create"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/session/status": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Tell which sessions of a project are at work. */
        get: operations["session.status"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/session/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Read a session. */
        get: operations["session.get"];
        put?: never;
        post?: never;
        /**
         * Delete a session and its children.
         * @description A live run is cancelled first. Files of the project stay.
         */
        delete: operations["session.delete"];
        options?: never;
        head?: never;
        /** Change the title or the marks of a session. */
        patch: operations["session.update"];
        trace?: never;
    };
    "/session/{id}/abort": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Stop whatever a session is doing.
         * @description Fine if it is idle. A body is ignored.
         */
        post: operations["session.abort"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/session/{id}/agent": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read the agent of a session: how it is started, what it told of itself, how it is set.
         * @description Starts nothing: what the agent told is from when the session was opened last.
         */
        get: operations["session.agent"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/session/{id}/agent/config": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Set a config option of a session's agent, between turns.
         * @description Opens the conversation if need be. It is set again where the agent has to begin afresh.
         */
        post: operations["session.config"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/session/{id}/agent/mode": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Set the mode of a session's agent, between turns.
         * @description Opens the conversation if need be. It is set again where the agent has to begin afresh.
         */
        post: operations["session.mode"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/session/{id}/artifact": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the files that a session has saved, oldest first.
         * @description Each is there once, as it is with its message or in its run. `path` and `fileUrl` are for callers on the same
         *     machine. Files that no turn has claimed come last, without `versionID`.
         */
        get: operations["artifact.list"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/session/{id}/children": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List the sessions that have this one as their parent. */
        get: operations["session.children"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/session/{id}/close": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Let the conversation of a session go: the agent frees what it holds of it.
         * @description Nothing is deleted; the next prompt opens it again. A body is ignored.
         */
        post: operations["session.close"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/session/{id}/fork": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Make a session of another one's conversation so far, at the agent and here.
         * @description The source stays as it is. An isolated fork begins with an empty scratch folder.
         */
        post: operations["session.fork"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/session/{id}/load": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Open the conversation of a session now, by `session/load`.
         * @description There is no other way tried if the agent refuses. One that is open stays as it is.
         */
        post: operations["session.load"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/session/{id}/message": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Read the messages of a session, oldest first. */
        get: operations["session.messages"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/session/{id}/message/{messageID}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Read one message. */
        get: operations["session.message"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/session/{id}/queue": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List the turns that wait for the agent, next first. */
        get: operations["queue.list"];
        /** Set how waiting turns are sent from now on. */
        put: operations["queue.set"];
        post?: never;
        /**
         * Take every waiting turn back.
         * @description Their messages stay. The turn the agent has goes on; a run that only waited ends cancelled.
         */
        delete: operations["queue.clear"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/session/{id}/queue/{turnID}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Read a turn that waits. */
        get: operations["queue.get"];
        put?: never;
        post?: never;
        /**
         * Take a waiting turn back.
         * @description Its message stays.
         */
        delete: operations["queue.withdraw"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/session/{id}/queue/{turnID}/send-now": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Send a waiting turn next.
         * @description The turn the agent has is cancelled for it; the run goes on.
         */
        post: operations["queue.send"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/session/{id}/resume": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Open the conversation of a session now, by `session/resume`.
         * @description There is no other way tried if the agent refuses. One that is open stays as it is.
         */
        post: operations["session.resume"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/session/{id}/state": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read everything that is known of a session.
         * @description `revision` grows with each change. Who follows `/state/events` first and reads this then leaves out updates of that
         *     revision and older ones.
         */
        get: operations["state.get"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/session/{id}/state/diffs": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Read what became of files: the newest change of each path. */
        get: operations["state.diffs"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/session/{id}/state/events": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Follow the read model.
         * @description Frames of `event` (the update's `type`) and `data` (a StateEvent on one line): each object that came or changed, whole,
         *     with the session's `revision`. What changes quickly is told as it is then, some times a second. There is no
         *     cursor: read `/state` after connecting.
         */
        get: operations["state.events"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/session/{id}/state/metadata": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Read what the session is called and set to. */
        get: operations["state.metadata"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/session/{id}/state/operations": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Read what the agent did or wants to do, each with the permissions that were asked for it. */
        get: operations["state.operations"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/session/{id}/state/operations/{operationID}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Read one operation with its permissions. */
        get: operations["state.operation"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/session/{id}/state/permissions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Read the permissions that were asked for, answered or not. */
        get: operations["state.permissions"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/session/{id}/state/permissions/{requestID}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Read one permission. */
        get: operations["state.permission"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/session/{id}/state/terminals": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Read the terminals that ran, or run, for the agent. */
        get: operations["state.terminals"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/session/{id}/state/terminals/{terminalID}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Read one terminal as it was last seen. */
        get: operations["state.terminal"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/session/{id}/state/terminals/{terminalID}/kill": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Ask a terminal's command to end.
         * @description The agent may still ask for its output. The answer may still say `running`: wait for the end.
         */
        post: operations["state.kill"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/session/{id}/state/terminals/{terminalID}/refresh": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Look at a terminal's output now. */
        post: operations["state.refresh"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/session/{id}/state/terminals/{terminalID}/release": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** End a terminal's command and let go of it: the agent cannot ask for it any more. */
        post: operations["state.release"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/session/{id}/state/terminals/{terminalID}/wait": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Wait until a terminal's command has ended.
         * @description Answers the terminal as it is then, or after `timeoutMs` as it is.
         */
        post: operations["state.wait"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/session/{id}/state/threads": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Read the conversation as entries in order. */
        get: operations["state.threads"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/session/{id}/state/tool-calls": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Read the tool calls, each with what it changed and ran. */
        get: operations["state.toolcalls"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/session/{id}/state/tool-calls/{toolCallID}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Read one tool call with what it changed and ran. */
        get: operations["state.toolcall"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/session/{id}/state/usage": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Read the tokens and the cost that the agent told; an empty object if it told none. */
        get: operations["state.usage"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/session/{id}/todo": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Read the agent's plan. */
        get: operations["session.todo"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/session/{id}/turn/{turnID}/cancel": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Cancel a turn and not its run.
         * @description The next turn of the run follows; a run without one ends cancelled. A turn that waits is taken
         *     back; one that has ended is answered as it is.
         */
        post: operations["turn.cancel"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/settings/compute/jobs": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List compute jobs.
         * @description Always empty: this daemon runs agents and no jobs.
         */
        get: operations["settings.jobs"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
}
export type webhooks = Record<string, never>;
export interface components {
    schemas: {
        /** @description An agent that sessions can be bound to. */
        Agent: {
            id: string;
            source: components["schemas"]["AgentSource"];
            /** @description Came with the daemon. */
            builtIn: boolean;
            /** @description Sessions that name no agent get this one. */
            default: boolean;
            /** @description The family whose ways it has, if that is known. */
            type?: string;
            /** @description What would be started now; empty if it is one of the registry that cannot be started here. */
            command: string;
            args: string[];
            /** @description Names of the configured variables; never their values. */
            env: string[];
            /** @description Its program is here: starting it downloads nothing. */
            installed: boolean;
            /** @description How one of the registry would be started: `path`, `installed`, `npx` or `uvx`. */
            via?: string;
            /** @description Why it cannot be started here. */
            problem?: string;
            /** @description What the registry says of it. */
            registry?: components["schemas"]["RegistryEntry"];
        };
        /** @description One agent process, what it told of itself and what happened there. */
        AgentConnection: {
            id: string;
            agent: string;
            status: components["schemas"]["ConnectionStatus"];
            /** @description Directory it was started in. */
            cwd: string;
            /** @description The agent's id of the session that was opened or prompted last. */
            sessionId?: string;
            /** @description The agent's own ids of the sessions that are open there. */
            sessionIds: string[];
            /** @description The same sessions, with our ids of them. */
            sessions: components["schemas"]["ConnectionSession"][];
            /** @description How it ended, if the status is `error`. */
            error?: string;
            /** @description The newest 500 things that happened there, oldest first, each cut to at most about 4 KiB. */
            events: components["schemas"]["ConnectionEvent"][];
            /** @description Permissions that wait for a person, oldest first. */
            pendingPermissions: components["schemas"]["PermissionRequest"][];
            /** Format: int32 */
            pid?: number;
            agentInfo?: Record<string, unknown>;
            capabilities: Record<string, unknown>;
            authMethods: Record<string, unknown>[];
            /** @description The last of what it wrote to stderr, configured values masked. */
            stderrTail: string;
            counters: components["schemas"]["ConnectionCounters"];
            /** @description It works on a prompt. */
            promptInFlight: boolean;
            /** @description The agent's ids of the sessions whose prompts it works on. */
            promptInFlightSessionIds: string[];
        };
        /** @description A mention of an agent; reaches the agent as the text `@name`. */
        AgentInput: {
            id?: string | null;
            name: string;
            source?: components["schemas"]["AgentSource"] | null;
        };
        /** @description One way to log in to an agent. */
        AgentLogin: {
            id: string;
            label: string;
            type: components["schemas"]["LoginKind"];
            /** @description The one that is meant if none is named. */
            default: boolean;
        };
        /** @description A mention of an agent. */
        AgentPart: {
            name: string;
            source?: Record<string, unknown>;
        };
        /**
         * @description Who knows an agent.
         * @enum {string}
         */
        AgentSource: "built_in" | "configured" | "registry";
        /** @description A Result: one thing that was made, with its newest version. */
        Artifact: {
            /** Format: int32 */
            schemaVersion: number;
            id: string;
            projectID: string;
            title: string;
            /** @description image, table, notebook, document, code, data or file. */
            kind: string;
            /** @description What a person said it is. */
            summary?: string;
            currentVersionID: string;
            /** Format: int64 */
            createdAt: number;
            /** Format: int64 */
            updatedAt: number;
            state: components["schemas"]["ArtifactState"];
            /** Format: int64 */
            trashedAt?: number;
            /** Format: int64 */
            versionCount: number;
            current: components["schemas"]["ArtifactVersion"];
        };
        /** @description A claim as people see it beside a file that is not with its message yet. */
        ArtifactClaim: {
            id: string;
            state: components["schemas"]["ClaimState"];
            /** @description The message its files are for. */
            messageID: string;
            /** @description Why it failed. */
            reason?: string;
        };
        /** @description A Result with all its versions. */
        ArtifactDetail: components["schemas"]["Artifact"] & {
            /** @description Newest first. */
            versions: components["schemas"]["ArtifactVersion"][];
        };
        /** @description A file that a turn saved. */
        ArtifactFile: {
            /** @description `sessionId:ownerId:filename`; the owner is the message, else the run. */
            id: string;
            projectName: string;
            sessionId: string;
            /** @description The message it belongs to; absent while its claim is not finalized. */
            messageId?: string;
            /** @description The artifact run it was saved in; present while it is pending. */
            runId?: string;
            name: string;
            /** @description Where it is on this machine; absent in events and for callers elsewhere. */
            path?: string;
            /** @description The same as a `file:` URL. */
            fileUrl?: string;
            mimeType?: string;
            /** Format: int64 */
            size: number;
            /** Format: int64 */
            mtimeMs: number;
            resultID?: string;
            versionID?: string;
            /** @description The claim of a file that is not with its message yet. */
            claim?: components["schemas"]["ArtifactClaim"];
        };
        /**
         * @description Whether a Result is listed or waits in the trash.
         * @enum {string}
         */
        ArtifactState: "active" | "trash";
        /** @description One version of a Result. */
        ArtifactVersion: {
            id: string;
            artifactID: string;
            /**
             * Format: int64
             * @description 1 for the first.
             */
            version: number;
            filename: string;
            mimeType: string;
            /** Format: int64 */
            size: number;
            sha256: string;
            sessionID: string;
            messageID?: string;
            /** @description The file it was copied from, else its name. */
            sourcePath: string;
            captureQuality: components["schemas"]["CaptureQuality"];
            /** Format: int64 */
            createdAt: number;
        };
        /** @description What the agent answered in a turn. */
        AssistantEntry: {
            id: components["schemas"]["MessageId"];
            turnId?: components["schemas"]["TurnId"];
            text: string;
            output: components["schemas"]["ContentPart"][];
            /** @description streaming, completed or failed. */
            status: components["schemas"]["ThreadEntryStatus"];
        };
        /** @description An answer as it stands in the transcript. */
        AssistantInfo: {
            id: components["schemas"]["MessageId"];
            sessionID: components["schemas"]["SessionId"];
            /** @description The user message it answers; of several, the last. */
            parentID: components["schemas"]["MessageId"];
            /** @description All user messages it answers. */
            parentIDs?: components["schemas"]["MessageId"][];
            modelID: string;
            providerID: string;
            mode: string;
            /** @description Always `research`. */
            agent: string;
            path: components["schemas"]["MessagePath"];
            time: components["schemas"]["AssistantTime"];
            /** Format: double */
            cost: number;
            tokens: components["schemas"]["Tokens"];
            /** @description stop, length, tool-calls, refusal, cancelled or the agent's own word. */
            finish?: string;
            error?: components["schemas"]["MessageError"];
        };
        /** @description Times of an assistant message. */
        AssistantTime: {
            /** Format: int64 */
            created: number;
            /** Format: int64 */
            completed?: number;
        };
        /**
         * @description How freely delegated work may act.
         * @enum {string}
         */
        Autonomy: "interactive" | "balanced" | "autonomous";
        /** @description Tokens from and into the cache. */
        CacheTokens: {
            /** Format: int64 */
            read: number;
            /** Format: int64 */
            write: number;
        };
        /** @description Which run to cancel. */
        CancelInput: {
            sessionID: components["schemas"]["SessionId"];
            runID: components["schemas"]["RunId"];
        };
        /** @description What this runtime can do. */
        Capabilities: {
            protocolVersion: string;
            serverVersion: string;
            idempotentPrompts: boolean;
            richInputs: boolean;
            runSnapshots: boolean;
            /** Format: int64 */
            eventRetention: number;
            crashRecovery: string;
            decisionScope: string;
            agent: components["schemas"]["CapabilityAgent"];
            files: components["schemas"]["CapabilityFiles"];
        };
        /** @description The agent that answers when a session names none. */
        CapabilityAgent: {
            id: string;
            builtIn: boolean;
        };
        /** @description What files a prompt may bring, in bytes. */
        CapabilityFiles: {
            /** @description Schemes a file part's `url` may have. */
            schemes: string[];
            /**
             * Format: int64
             * @description One JSON body, and so what a `data:` URL can hold.
             */
            maxBodyBytes: number;
            /**
             * Format: int64
             * @description One uploaded or attached file.
             */
            maxUploadBytes: number;
            /**
             * Format: int64
             * @description Space that is left free on the disk.
             */
            diskReserveBytes: number;
            /**
             * Format: int64
             * @description An image or a sound up to this is shown to an agent that can see or hear it.
             */
            maxMediaBytes: number;
            /**
             * Format: int64
             * @description A text up to this is shown to an agent that takes embedded texts.
             */
            maxTextBytes: number;
            /**
             * Format: int64
             * @description All that is shown with one prompt; what is beyond is linked.
             */
            maxInlineBytes: number;
        };
        /**
         * @description How well the bytes of a version are known to be what was made.
         * @enum {string}
         */
        CaptureQuality: "exact" | "declared" | "partial" | "unknown";
        /** @description What a cell put out. */
        CellOutput: {
            /** @description stream, execute_result, display_data or error. */
            type: string;
            /** @description Type of `text` or `data`. */
            mime: string;
            text?: string;
            /** @description Base64, of an image. */
            data?: string;
            /** @description Of a stream: stdout or stderr. */
            name?: string;
        };
        /**
         * @description Whether a file was made or changed.
         * @enum {string}
         */
        ChangeType: "write" | "update";
        /**
         * @description How the file itself writes its text.
         * @enum {string}
         */
        Charset: "utf-8" | "utf-16le" | "utf-16be" | "iso-8859-1";
        /**
         * @description Where a claim stands.
         * @enum {string}
         */
        ClaimState: "pending" | "finalized" | "failed";
        /** @description The agent compacted its context. */
        CompactionPart: {
            auto: boolean;
            summary?: string;
        };
        /** @description A value that a config option may have. */
        ConfigChoice: {
            value: string;
            name: string;
        };
        /** @description The option to set. */
        ConfigInput: {
            /** @description Id, category or name of the option. */
            id: string;
            /** @description Its value or the name of it: a text, a number, or true or false. */
            value: unknown;
        };
        /** @description One wish and what came of it. */
        ConfigItem: {
            key: components["schemas"]["ConfigKey"];
            requestedValue: string;
            status: components["schemas"]["ConfigStatus"];
            /** @description The agent's own name of the value. */
            appliedValue?: string;
            /** @description The agent's option it was set on; `currentModeId` for its mode. */
            optionId?: string;
            /** @description Why it was not set. */
            reason?: string;
        };
        /**
         * @description What of an agent's configuration a wish is for: one word for what agents call differently.
         * @enum {string}
         */
        ConfigKey: "mode" | "model" | "effort";
        /**
         * @description What kind of value a config option has.
         * @enum {string}
         */
        ConfigOptionType: "boolean" | "number" | "select" | "string";
        /**
         * @description What came of a wish.
         * @enum {string}
         */
        ConfigStatus: "applied" | "already-set" | "skipped" | "failed";
        /** @description What a connection has counted since it began. */
        ConnectionCounters: {
            /**
             * Format: int64
             * @description Messages read.
             */
            frames: number;
            /**
             * Format: int64
             * @description Lines that were no message.
             */
            noise: number;
            /**
             * Format: int64
             * @description Of these, lines that were not UTF-8.
             */
            invalidUtf8: number;
            /**
             * Format: int64
             * @description Messages beyond the limit.
             */
            oversized: number;
            /**
             * Format: int64
             * @description Updates of a kind this version does not know, or beyond the limit.
             */
            unknownUpdates: number;
            /**
             * Format: int64
             * @description Updates that told history again.
             */
            replayed: number;
            /**
             * Format: int64
             * @description Updates and requests of sessions that are not open.
             */
            unrouted: number;
            /**
             * Format: int64
             * @description Updates of unknown sessions that waited too long or were too many.
             */
            earlyDropped: number;
            /**
             * Format: int64
             * @description Notifications that are not served.
             */
            ignored: number;
            /**
             * Format: int64
             * @description Requests of the agent that were refused.
             */
            refused: number;
            /**
             * Format: int64
             * @description Answers nobody waited for any more.
             */
            lateAnswers: number;
        };
        /**
         * @description One thing that happened on a connection. For people who look at it: it is neither journaled nor numbered
         *     like the events of a session.
         */
        ConnectionEvent: {
            /** @description Unique among all connections. */
            id: string;
            kind: components["schemas"]["EventKind"];
            level: components["schemas"]["EventLevel"];
            /** Format: int64 */
            timestamp: number;
            /** @description The agent's id of the session it belongs to. */
            sessionId?: string;
            title?: string;
            text?: string;
            /** @description `user` or `assistant`. */
            role?: string;
            messageId?: string;
            toolCallId?: string;
            toolKind?: string;
            /** @description Of a tool, or the code of a failure. */
            status?: string;
            stopReason?: string;
            /** @description What the agent sent, if it is at most 1 KiB. */
            raw?: Record<string, unknown>;
            /** @description True if something was too long and is cut or left out. */
            truncated?: boolean;
        };
        /** @description A session that is open at an agent. */
        ConnectionSession: {
            /** @description The agent's id of it. */
            sessionId: string;
            /** @description Ours. */
            sessionID: components["schemas"]["SessionId"];
        };
        /**
         * @description Whether a process can be spoken to.
         * @enum {string}
         */
        ConnectionStatus: "idle" | "connecting" | "connected" | "error" | "closed";
        /** @description A part of a prompt or an answer. */
        ContentPart: {
            text: string;
            /** @enum {string} */
            type: "text";
        } | {
            uri: string;
            mime_type: string;
            title?: string;
            /** @enum {string} */
            type: "file";
        } | {
            uri: string;
            mime_type: string;
            /** @enum {string} */
            type: "image";
        } | {
            uri: string;
            mime_type: string;
            /** @enum {string} */
            type: "audio";
        } | {
            uri: string;
            mime_type: string;
            text?: string;
            /** @enum {string} */
            type: "resource";
        } | {
            value: Record<string, unknown>;
            /** @enum {string} */
            type: "json";
        };
        /** @description A reference to another conversation, frozen when the prompt is admitted. */
        ConversationInput: {
            id?: string | null;
            sourceSessionID: components["schemas"]["SessionId"];
            throughMessageID?: components["schemas"]["MessageId"] | null;
            label?: string | null;
        };
        /** @description The frozen excerpt of another conversation. */
        ConversationPart: {
            sourceSessionID: components["schemas"]["SessionId"];
            throughMessageID: components["schemas"]["MessageId"];
            snapshotID: string;
            label: string;
            text: string;
        };
        DecisionId: string;
        /** @description An answer to a pending decision. Strict: unknown keys are refused. */
        DecisionInput: (components["schemas"]["PermissionAnswer"] & {
            /** @enum {string} */
            kind: "permission";
        }) | (components["schemas"]["QuestionAnswer"] & {
            /** @enum {string} */
            kind: "question";
        }) | (components["schemas"]["QuestionReject"] & {
            /** @enum {string} */
            kind: "question_reject";
        });
        /** @description The receipt of a decision. */
        DecisionResult: {
            sessionID: components["schemas"]["SessionId"];
            requestID: components["schemas"]["DecisionId"];
            status: components["schemas"]["DecisionStatus"];
            /** Format: int64 */
            decidedAt: number;
        };
        /**
         * @description Whether the agent is known to have the answer.
         * @enum {string}
         */
        DecisionStatus: "resolved" | "indeterminate";
        /** @description A file to keep. */
        DeclareInput: {
            /** @description Below the project, or below the session's own folder. */
            path: string;
            sessionID: string;
            messageID?: string | null;
            summary?: string | null;
        };
        /**
         * @description How much the agent may delegate.
         * @enum {string}
         */
        DelegationLevel: "off" | "light" | "standard" | "high";
        /** @description Settings of delegated work; kept on the message. */
        DelegationSettings: {
            level?: components["schemas"]["DelegationLevel"];
            workerModel?: components["schemas"]["ModelRef"];
            autonomy?: components["schemas"]["Autonomy"];
        };
        /**
         * @description How turns that wait together are sent to the agent.
         * @enum {string}
         */
        Delivery: "coalesce" | "sequential";
        /** @description The last that is worth knowing when something is wrong. */
        Diagnostics: {
            lastUsage?: Record<string, unknown>;
            /** @description Of the newest run that failed. */
            lastError?: components["schemas"]["RunError"];
        };
        /**
         * @description How hard the agent should think.
         * @enum {string}
         */
        Effort: "normal" | "ultra";
        /**
         * @description Coarse class of an event, for clients that render by class.
         * @enum {string}
         */
        EventKind: "system" | "message" | "thought" | "tool" | "plan" | "permission" | "artifact" | "error" | "stop" | "raw";
        /**
         * @description How much attention an event of a connection deserves.
         * @enum {string}
         */
        EventLevel: "info" | "warning" | "error";
        /**
         * @description Why an operation came to nothing.
         * @enum {string}
         */
        FailureReason: "cancelled" | "failed" | "permission_denied" | "timeout";
        /** @description A file by URL (`data:`, `file:` or `upload:`). */
        FileInput: {
            id?: string | null;
            mime: string;
            url: string;
            filename?: string | null;
            source?: Record<string, unknown> | null;
        };
        /** @description A file by URL. */
        FilePart: {
            mime: string;
            url: string;
            filename?: string;
            /**
             * Format: int64
             * @description Bytes of the file when the prompt was admitted.
             */
            size?: number;
            source?: Record<string, unknown>;
        };
        /** @description Which claim, and for which message. */
        FinalizeInput: {
            claimID: string;
            messageID: string;
        };
        /** @description What the fork should be; everything may be left out. */
        ForkBody: {
            id?: components["schemas"]["SessionId"] | null;
            title?: string | null;
        };
        /** @description That the daemon answers, and which one it is. */
        Health: {
            /** @description Always true. */
            healthy: boolean;
            version: string;
            /** @description Commit of the sources, if known. */
            sourceSha: string | null;
            /** @description Hash of uncommitted sources, if any. */
            sourceWorktreeHash: string | null;
            /** @description Names this start of the daemon. */
            runId: string;
        };
        /** @description How the agent is to be set when the session is opened: values by their common names. */
        InitialConfigInput: {
            mode?: components["schemas"]["WishInput"] | null;
            model?: components["schemas"]["WishInput"] | null;
            effort?: components["schemas"]["WishInput"] | null;
            /** @description The session is of no use unless all of it holds. */
            strict?: boolean;
        };
        /** @description What came of all wishes of a session when it was opened last. */
        InitialConfigReport: {
            items: components["schemas"]["ConfigItem"][];
            /** @description The agent is as it was wished in all of them. */
            ok: boolean;
        };
        /** @description A part of a prompt. */
        InputPart: (components["schemas"]["TextInput"] & {
            /** @enum {string} */
            type: "text";
        }) | (components["schemas"]["FileInput"] & {
            /** @enum {string} */
            type: "file";
        }) | (components["schemas"]["AgentInput"] & {
            /** @enum {string} */
            type: "agent";
        }) | (components["schemas"]["ConversationInput"] & {
            /** @enum {string} */
            type: "conversation";
        }) | (components["schemas"]["SubtaskInput"] & {
            /** @enum {string} */
            type: "subtask";
        }) | (components["schemas"]["MediaInput"] & {
            /** @enum {string} */
            type: "image";
        }) | (components["schemas"]["MediaInput"] & {
            /** @enum {string} */
            type: "audio";
        }) | (components["schemas"]["ResourceInput"] & {
            /** @enum {string} */
            type: "resource";
        }) | (components["schemas"]["JsonInput"] & {
            /** @enum {string} */
            type: "json";
        });
        /** @description What is wrong with one place of a request. Never repeats what was received. */
        Issue: {
            /** @description Where, such as `parts[0].text`; empty for the whole. */
            path: string;
            message: string;
        };
        /** @description A value that reaches the agent as a JSON document. */
        JsonInput: {
            id?: string | null;
            value: Record<string, unknown>;
            filename?: string | null;
        };
        /** @description How to log in. */
        LoginInput: {
            /** @description Id of one of the agent's ways; the marked or only one if left out. */
            methodId?: string | null;
        };
        /**
         * @description Who has to do something to log in.
         * @enum {string}
         */
        LoginKind: "agent" | "env_var" | "terminal";
        /**
         * @description How a server is spoken to.
         * @enum {string}
         */
        McpKind: "stdio" | "http" | "sse";
        /** @description An MCP server the session's agent starts (`command`) or reaches (`url`), in the form of ACP. */
        McpServerInput: {
            type?: components["schemas"]["McpKind"] | null;
            /** @description Unique in the session; stands in the place of a configured server of that name. */
            name: string;
            /** @description A program by its absolute path, or a name that is looked up on `PATH`. */
            command?: string | null;
            args?: string[] | null;
            env?: components["schemas"]["PairInput"][] | null;
            /** @description Of `http` and `sse`. */
            url?: string | null;
            headers?: components["schemas"]["PairInput"][] | null;
        };
        /** @description An image or a sound in the prompt itself, as ACP has it. */
        MediaInput: {
            id?: string | null;
            mimeType: string;
            /** @description Base64. */
            data: string;
            filename?: string | null;
        };
        /** @description A message with its parts in order. */
        Message: {
            info: components["schemas"]["MessageInfo"];
            parts: components["schemas"]["Part"][];
        };
        /** @description Why an assistant message ended early. */
        MessageError: {
            /** @description `ProviderAuthError`, `MessageOutputLengthError`, `MessageAbortedError` or `UnknownError`. */
            name: string;
            data: Record<string, unknown>;
        };
        MessageId: string;
        /** @description What is known of a message besides its parts. */
        MessageInfo: (components["schemas"]["UserInfo"] & {
            /** @enum {string} */
            role: "user";
        }) | (components["schemas"]["AssistantInfo"] & {
            /** @enum {string} */
            role: "assistant";
        });
        /** @description Where the agent worked. */
        MessagePath: {
            cwd: string;
            root: string;
        };
        /** @description The mode to set. */
        ModeInput: {
            /** @description Id, name or alias. */
            mode: string;
        };
        /** @description A model of a provider. */
        ModelRef: {
            providerID: string;
            modelID: string;
        };
        /** @description One cell of a notebook. */
        NotebookCell: {
            /** @description code, markdown or raw. */
            type: string;
            source: string;
            /** Format: int64 */
            executionCount?: number;
            outputs?: components["schemas"]["CellOutput"][];
        };
        /** @description How a conversation is opened. Instructions are for new ones only. */
        OpenBody: Record<string, unknown>;
        /**
         * @description How a conversation that the agent holds is taken up.
         * @enum {string}
         */
        OpenInput: "load" | "resume";
        /** @description One thing an agent did, or wants to do, outside of the conversation. */
        Operation: {
            /** @description Unique in the session: that of its tool call in the transcript, else of the permission it is. */
            id: string;
            turnId?: components["schemas"]["TurnId"];
            toolCallId?: string;
            kind: components["schemas"]["OperationKind"];
            phase: components["schemas"]["OperationPhase"];
            title: string;
            target?: components["schemas"]["OperationTarget"];
            result?: components["schemas"]["OperationResult"];
            failureReason?: components["schemas"]["FailureReason"];
            permission?: components["schemas"]["OperationPermission"];
            /** Format: int64 */
            startedAt: number;
            /** Format: int64 */
            updatedAt: number;
            /** Format: int64 */
            completedAt?: number;
        };
        /** @description An operation with the permissions that were asked for it. */
        OperationBundle: {
            operation: components["schemas"]["Operation"];
            permissionRequests: components["schemas"]["StatePermission"][];
        };
        /**
         * @description What an operation does.
         * @enum {string}
         */
        OperationKind: "document_edit" | "execute_command" | "mcp_call" | "network_request" | "read_file" | "unknown" | "write_file";
        /**
         * @description What happened to an operation.
         * @enum {string}
         */
        OperationLifecycle: "started" | "updated" | "completed" | "failed";
        /** @description What is known of the permission of an operation. */
        OperationPermission: {
            requested: boolean;
            requestId?: string;
            decision?: components["schemas"]["PermissionDecision"];
            family?: components["schemas"]["PermissionFamily"];
        };
        /**
         * @description How far an operation has come.
         * @enum {string}
         */
        OperationPhase: "proposed" | "awaiting_permission" | "running" | "completed" | "failed" | "cancelled";
        /** @description What an operation came to. */
        OperationResult: {
            output: components["schemas"]["ContentPart"][];
            outputText: string;
        };
        /** @description What an operation is aimed at. */
        OperationTarget: {
            type: components["schemas"]["TargetType"];
            value: string;
        };
        /** @description A variable or a header. */
        PairInput: {
            name: string;
            value: string;
        };
        /** @description One part of a message. */
        Part: components["schemas"]["PartBody"] & {
            id: components["schemas"]["PartId"];
            sessionID: components["schemas"]["SessionId"];
            messageID: components["schemas"]["MessageId"];
        };
        /** @description What a part holds. */
        PartBody: (components["schemas"]["TextPart"] & {
            /** @enum {string} */
            type: "text";
        }) | (components["schemas"]["ReasoningPart"] & {
            /** @enum {string} */
            type: "reasoning";
        }) | (components["schemas"]["FilePart"] & {
            /** @enum {string} */
            type: "file";
        }) | (components["schemas"]["ToolPart"] & {
            /** @enum {string} */
            type: "tool";
        }) | (components["schemas"]["StepStartPart"] & {
            /** @enum {string} */
            type: "step-start";
        }) | (components["schemas"]["StepFinishPart"] & {
            /** @enum {string} */
            type: "step-finish";
        }) | (components["schemas"]["AgentPart"] & {
            /** @enum {string} */
            type: "agent";
        }) | (components["schemas"]["ConversationPart"] & {
            /** @enum {string} */
            type: "conversation";
        }) | (components["schemas"]["SubtaskPart"] & {
            /** @enum {string} */
            type: "subtask";
        }) | (components["schemas"]["CompactionPart"] & {
            /** @enum {string} */
            type: "compaction";
        });
        PartId: string;
        /** @description When a part was open. */
        PartTime: {
            /** Format: int64 */
            start: number;
            /** Format: int64 */
            end?: number;
        };
        /** @description The answer to a permission. */
        PermissionAnswer: {
            sessionID: components["schemas"]["SessionId"];
            requestID: string;
            reply: components["schemas"]["PermissionReply"];
            message?: string | null;
        };
        /** @description One option of the agent, as it named it. */
        PermissionChoice: {
            id: string;
            name: string;
            kind: string;
        };
        /**
         * @description What was decided.
         * @enum {string}
         */
        PermissionDecision: "allowed" | "denied";
        /**
         * @description How a refusal showed itself.
         * @enum {string}
         */
        PermissionFamily: "permission_request_cancelled" | "permission_request_end_turn" | "mode_denied";
        /**
         * @description What a permission is for.
         * @enum {string}
         */
        PermissionKind: "document" | "filesystem" | "mcp" | "network" | "terminal" | "unknown";
        /**
         * @description What happened to a permission.
         * @enum {string}
         */
        PermissionLifecycle: "requested" | "resolved";
        /**
         * @description Where a permission stands.
         * @enum {string}
         */
        PermissionPhase: "pending" | "allowed" | "denied";
        /**
         * @description How far an answer reaches.
         * @enum {string}
         */
        PermissionReply: "once" | "session" | "project" | "always" | "reject";
        /** @description The answer to a permission that the path names. */
        PermissionReplyInput: {
            reply: components["schemas"]["PermissionReply"];
            message?: string | null;
        };
        /** @description A permission that waits for an answer. */
        PermissionRequest: {
            id: string;
            sessionID: components["schemas"]["SessionId"];
            /** @description Category: read, edit, bash, webfetch, search, external_directory, else the tool's own name. */
            permission: string;
            /** @description What exactly is asked for: commands, paths, hosts. */
            patterns: string[];
            /** @description What the agent told: title, kind, rawInput, options. */
            metadata: Record<string, unknown>;
            /** @description Patterns a wider scope would grant; empty where none can be granted. */
            always: string[];
            tool?: components["schemas"]["ToolRef"];
            /**
             * Format: int64
             * @description When the agent asked.
             */
            askedAt?: number;
            /**
             * Format: int64
             * @description When it is answered by itself: only if a limit is configured.
             */
            expiresAt?: number;
        };
        /**
         * @description How far a permission may reach.
         * @enum {string}
         */
        PermissionScope: "once" | "session";
        /** @description The agent's last plan. */
        PlanEntry: {
            id: string;
            turnId?: components["schemas"]["TurnId"];
            plan: components["schemas"]["PlanStep"][];
        };
        /** @description One step of a plan. */
        PlanStep: {
            content: string;
            /** @description high, medium or low. */
            priority: string;
            /** @description pending, in_progress or completed. */
            status: string;
        };
        /** @description A page of a file. */
        Preview: {
            kind: components["schemas"]["PreviewKind"];
            mime: string;
            filename: string;
            /**
             * Format: int64
             * @description Bytes of the whole file.
             */
            size: number;
            /** @description More of the file follows. */
            truncated: boolean;
            /**
             * Format: int64
             * @description Where the page begins: a byte; of a notebook a cell.
             */
            offset: number;
            /**
             * Format: int64
             * @description Where the next page begins, if more follows.
             */
            nextOffset?: number;
            encoding: components["schemas"]["PreviewEncoding"];
            charset?: components["schemas"]["Charset"];
            /**
             * @description The page as text or base64; absent where rows or cells stand for it, and for what is neither text nor
             *     image unless base64 is asked for.
             */
            content?: string;
            rows?: string[][];
            cells?: components["schemas"]["NotebookCell"][];
            records?: components["schemas"]["SequenceRecord"][];
            /**
             * Format: int64
             * @description Pixels.
             */
            width?: number;
            /** Format: int64 */
            height?: number;
            /** @description Of a notebook: its language and the like, as it says. */
            metadata?: Record<string, unknown>;
        };
        /**
         * @description How `content` stands for the file's bytes.
         * @enum {string}
         */
        PreviewEncoding: "utf8" | "base64";
        /**
         * @description What a file is to a reader.
         * @enum {string}
         */
        PreviewKind: "text" | "markdown" | "html" | "json" | "csv" | "notebook" | "fasta" | "image" | "binary";
        /** @description Why a request was refused. */
        Problem: {
            /** @description A word, or a text where older clients expect one. */
            error: string;
            /** @description Stable snake_case word to match on. */
            code: string;
            /** @description For people. */
            message: string;
            /** @description Name of the error for clients that know errors by name. */
            name?: string;
            /** @description What belongs to that name. */
            data?: Record<string, unknown>;
            /** @description Every place that is wrong, if the request is invalid. */
            issues?: components["schemas"]["Issue"][];
            /** @description False if the request is invalid, else absent. */
            success?: boolean;
            /** @description The path no route has. */
            path?: string;
            /** @description More about a path no route has. */
            detail?: string;
            /**
             * Format: int64
             * @description Oldest event that can be replayed, if a cursor was refused.
             */
            oldestSequence?: number;
            /**
             * Format: int64
             * @description Newest event, if a cursor was refused.
             */
            latestSequence?: number;
            /** @description The process that can do it. */
            url?: string;
            /** @description The bound that was passed, in bytes. */
            limit?: number;
            /**
             * Format: int64
             * @description The bytes that passed it, as far as they were counted.
             */
            size?: number;
            /**
             * Format: int64
             * @description Where an upload goes on.
             */
            offset?: number;
        };
        /** @description A directory the daemon works for. */
        Project: {
            id: components["schemas"]["ProjectId"];
            /** @description Canonical directory. */
            worktree: string;
            /** @description `git` if the directory holds a git checkout. */
            vcs?: string;
            name?: string;
            /** @description Always `openscience`. */
            origin: string;
            time: components["schemas"]["ProjectTime"];
            sandboxes: string[];
        };
        ProjectId: string;
        /** @description Times of a project. */
        ProjectTime: {
            /** Format: int64 */
            created: number;
            /** Format: int64 */
            updated: number;
        };
        /** @description The answer to an admitted prompt: it acknowledges admission, not success. */
        PromptAccepted: {
            runID: components["schemas"]["RunId"];
            /** Format: int64 */
            acceptedAt: number;
            /** @description The turn of a follow-up: the prompt joined that run. */
            turnID?: components["schemas"]["TurnId"];
        };
        /** @description One prompt. Exactly one of `message` and `parts` is given. */
        PromptInput: {
            sessionID: components["schemas"]["SessionId"];
            effort: components["schemas"]["Effort"];
            /** @description Idempotency key: the same key in the same session returns the same receipt. 1 to 200 characters. */
            requestID?: string | null;
            /** @description A native message id, `^msg_[0-9a-fA-F]{12}[A-Za-z0-9]{14}$`; for advanced clients. */
            messageID?: string | null;
            /** @description The prompt as one text; left out if there are `parts`. */
            message?: string | null;
            /** @description The prompt in parts; left out if there is a `message`. */
            parts?: components["schemas"]["InputPart"][] | null;
            model?: components["schemas"]["ModelRef"] | null;
            variant?: string | null;
            tier?: string | null;
            /**
             * Format: int64
             * @description Context budget in tokens, greater than 0.
             */
            context?: number | null;
            delegation?: boolean | null;
            delegationSettings?: components["schemas"]["DelegationSettings"] | null;
            /**
             * Format: int64
             * @description Milliseconds from acceptance after which the run is stopped and fails `deadline_exceeded`.
             */
            deadlineMs?: number | null;
        };
        /** @description One question of a request. */
        Question: {
            question: string;
            header: string;
            options: components["schemas"]["QuestionOption"][];
            /** @description True: any number of labels answers it, else one. */
            multiple?: boolean;
            /** @description False: only the options answer it. Otherwise any text does. */
            custom?: boolean;
            /** @description True: an empty list leaves it unanswered. */
            optional?: boolean;
        };
        /** @description The answers to a question, one list per question in order. */
        QuestionAnswer: {
            sessionID: components["schemas"]["SessionId"];
            requestID: string;
            answers: string[][];
        };
        /** @description One choice of a question. */
        QuestionOption: {
            label: string;
            description: string;
        };
        /** @description Dismisses a question. */
        QuestionReject: {
            sessionID: components["schemas"]["SessionId"];
            requestID: string;
        };
        /** @description The answers to a question, one list per question in order. */
        QuestionReplyInput: {
            answers: string[][];
        };
        /** @description Questions that wait for answers. */
        QuestionRequest: {
            id: string;
            sessionID: components["schemas"]["SessionId"];
            questions: components["schemas"]["Question"][];
            tool?: components["schemas"]["ToolRef"];
            /**
             * Format: int64
             * @description When the agent asked.
             */
            askedAt?: number;
            /**
             * Format: int64
             * @description When it is answered by itself: only if a limit is configured.
             */
            expiresAt?: number;
        };
        /** @description The turn queue of a session. The turn the agent has is not in it. */
        Queue: {
            delivery: components["schemas"]["Delivery"];
            /** @description In the order they are sent. */
            turns: components["schemas"]["QueuedTurn"][];
        };
        /** @description How waiting turns are to be sent. */
        QueuePolicy: {
            delivery: components["schemas"]["Delivery"];
        };
        /** @description A turn that waits. */
        QueuedTurn: {
            id: components["schemas"]["TurnId"];
            /**
             * Format: int32
             * @description How many turns are sent before it.
             */
            position: number;
            /** @description ready. */
            status: components["schemas"]["TurnState"];
            /**
             * Format: int64
             * @description When its prompt was admitted.
             */
            queuedAt: number;
            messageID: components["schemas"]["MessageId"];
            /** @description The run that answers it. */
            runID: components["schemas"]["RunId"];
        };
        /** @description The agent's thoughts. */
        ReasoningPart: {
            text: string;
            time: components["schemas"]["PartTime"];
            metadata?: Record<string, unknown>;
        };
        /** @description An agent in the public registry. */
        RegistryEntry: {
            id: string;
            name?: string;
            version?: string;
            description?: string;
            /** @description Where this is known from: `fresh`, `stale` (older than a day) or `embedded` (it came with the daemon). */
            document: string;
        };
        /** @description A stretch of the journal. */
        Replay: {
            events: components["schemas"]["RuntimeEvent"][];
            /** Format: int64 */
            oldestSequence: number;
            /** Format: int64 */
            latestSequence: number;
        };
        /** @description A document in the prompt itself: exactly one of `text` and `blob`. */
        ResourceInput: {
            id?: string | null;
            /** @description What the agent is told that it is; nothing is fetched. */
            uri: string;
            mimeType?: string | null;
            text?: string | null;
            /** @description Base64. */
            blob?: string | null;
        };
        /** @description What to change of a Result. */
        ResultChange: {
            title: string;
        };
        /** @description One permission rule: a category, a pattern with `*`, and what it says. */
        Rule: {
            permission: string;
            pattern: string;
            action: components["schemas"]["RuleAction"];
        };
        /**
         * @description What a rule says.
         * @enum {string}
         */
        RuleAction: "allow" | "deny" | "ask";
        /** @description Why a run did not complete. */
        RunError: {
            /** @description Stable snake_case word (see the table in docs/errors). */
            code: string;
            /** @description For people; bounded, without secrets, paths of the daemon or the prompt. */
            message: string;
            /** @description What the daemon was doing: `start`, `initialize`, `session`, `configure`, `prompt`. */
            stage?: string;
            /** @description Exit status or signal of the agent process, as text (`exit status: 7`, `signal: 9`). */
            exit?: string;
            /** @description Last lines the agent wrote to stderr; bounded, configured secrets masked. */
            stderr?: string;
            /**
             * Format: int64
             * @description JSON-RPC error code the agent answered with.
             */
            agentCode?: number;
        };
        RunId: string;
        /**
         * @description Where a run stands. The last four are final and never change.
         * @enum {string}
         */
        RunState: "accepted" | "running" | "completed" | "failed" | "cancelled" | "interrupted";
        /** @description The turn a follow-up became. */
        RunTurn: {
            id: components["schemas"]["TurnId"];
            /** @description queued, ready, active, completed, cancelled, coalesced, withdrawn or failed. */
            state: components["schemas"]["TurnState"];
            /** @description The turn its prompt was sent with. */
            intoTurnID?: components["schemas"]["TurnId"];
        };
        /** @description One event as clients see it. */
        RuntimeEvent: {
            /** Format: int64 */
            sequence: number;
            sessionID: components["schemas"]["SessionId"];
            runID: components["schemas"]["RunId"];
            type: string;
            kind: components["schemas"]["EventKind"];
            properties: Record<string, unknown>;
            /** Format: int64 */
            time: number;
        };
        /** @description The durable receipt of a run. */
        RuntimeRun: {
            runID: components["schemas"]["RunId"];
            sessionID: components["schemas"]["SessionId"];
            /** @description The key the client chose, if any. */
            requestID?: string;
            /** @description The user message this run answers. */
            messageID: components["schemas"]["MessageId"];
            state: components["schemas"]["RunState"];
            /** Format: int64 */
            acceptedAt: number;
            /** Format: int64 */
            updatedAt: number;
            /** Format: int64 */
            completedAt?: number;
            /** @description The assistant message that holds the result. */
            resultMessageID?: components["schemas"]["MessageId"];
            error?: components["schemas"]["RunError"];
            /** @description Why the agent stopped, in ACP's words; unknown words are kept. */
            stopReason?: string;
            /** @description The agent that answers. */
            agent?: string;
            /** @description The agent did not end its turn and could not be stopped without harming other sessions. */
            agentStillRunning?: boolean;
            /** @description The agent had lost the conversation and began afresh, with the newest of the transcript. */
            contextReset?: boolean;
            waiting?: components["schemas"]["Waiting"];
            /**
             * Format: int64
             * @description When the agent was last heard of.
             */
            lastActivityAt?: number;
            /**
             * Format: int64
             * @description When the run is stopped, whatever it has reached.
             */
            deadlineAt?: number;
            /** @description The turn that was asked for, or that a follow-up became. */
            turn?: components["schemas"]["RunTurn"];
        };
        /** @description One sequence that begins on the page. */
        SequenceRecord: {
            id: string;
            description?: string;
            /**
             * Format: int64
             * @description Letters of it that stand on the page.
             */
            length: number;
        };
        /** @description One conversation, bound to one project directory and one agent. */
        Session: {
            id: components["schemas"]["SessionId"];
            /** @description Short name for people; the id without its prefix. */
            slug: string;
            projectID: components["schemas"]["ProjectId"];
            /** @description Canonical project directory. */
            directory: string;
            workspace: components["schemas"]["Workspace"];
            parentID?: components["schemas"]["SessionId"];
            title: string;
            /** @description Version of the daemon that created it. */
            version: string;
            time: components["schemas"]["SessionTime"];
            permission?: components["schemas"]["Rule"][];
            /** @description The agent it is bound to. */
            agent: string;
            /**
             * Format: int64
             * @description Default deadline of its runs, in milliseconds.
             */
            deadlineMs?: number;
        };
        /** @description The agent of a session: how it is started, what it told of itself, how it is set. */
        SessionAgent: {
            agent: string;
            /** @description The family whose ways it has, if that is known. */
            type?: string;
            /** @description Absent if the agent is not configured any more. */
            command?: string;
            args: string[];
            /** @description Names of the configured variables; never their values. */
            env: string[];
            /** @description The conversation is open on a process of this daemon. */
            open: boolean;
            /** @description The agent's id of the conversation; absent before there is one. */
            agentSessionID?: string;
            /** @description Name and version, as it told them when it was opened last. */
            agentInfo?: Record<string, unknown>;
            /** @description As it told them when it was opened last. */
            capabilities?: Record<string, unknown>;
            authMethods: components["schemas"]["AgentLogin"][];
            metadata: components["schemas"]["SessionMetadata"];
            /** @description What came of the initial configuration; absent if there was none. */
            initialConfigReport?: components["schemas"]["InitialConfigReport"];
            diagnostics: components["schemas"]["Diagnostics"];
        };
        /** @description An agent by its id or alias, or described. */
        SessionAgentInput: string | {
            /** @description An absolute path, or a name that is looked up on `PATH`. */
            command: string;
            args?: string[] | null;
            env?: {
                [key: string]: string;
            } | null;
            /** @description The family whose ways it has, such as `claude-acp`. */
            type?: string | null;
        };
        /** @description What to change of a session; what is left out stays. */
        SessionChange: {
            title?: string | null;
            time?: components["schemas"]["SessionTimeChange"] | null;
        };
        SessionId: string;
        /** @description What a new session should be; everything may be left out. */
        SessionInput: {
            id?: components["schemas"]["SessionId"] | null;
            parentID?: components["schemas"]["SessionId"] | null;
            title?: string | null;
            /** @description Rules of this session alone, before those of the configuration. */
            permission?: components["schemas"]["Rule"][] | null;
            workspace?: components["schemas"]["Workspace"] | null;
            /** @description Only `scratch`, which is what an isolated session has. */
            workingRoot?: string | null;
            agent?: components["schemas"]["SessionAgentInput"] | null;
            /**
             * Format: int64
             * @description Default deadline of its runs, in milliseconds.
             */
            deadlineMs?: number | null;
            /** @description A conversation the agent holds, which this session takes over now: the agent's id of it. */
            agentSessionID?: string | null;
            open?: components["schemas"]["OpenInput"] | null;
            initialConfig?: components["schemas"]["InitialConfigInput"] | null;
            /** @description Instructions its agent is opened with; not for a conversation that is taken over. */
            systemPrompt?: string | null;
            /** @description MCP servers its agent is given besides the configured ones. */
            mcpServers?: components["schemas"]["McpServerInput"][] | null;
            queue?: components["schemas"]["QueuePolicy"] | null;
        };
        /** @description Sessions of this daemon, or references to those an agent knows. */
        SessionList: components["schemas"]["Session"][] | components["schemas"]["SessionReferences"];
        /** @description How the agent of a session is set, and what it offers. */
        SessionMetadata: {
            /** @description The agent's id of the conversation. */
            id?: string;
            title: string;
            currentModeId?: string;
            /** @description Values by option id. */
            config: Record<string, unknown>;
            availableCommands: Record<string, unknown>[];
            agentModes: Record<string, unknown>[];
            agentConfigOptions: Record<string, unknown>[];
        };
        /** @description A session that this daemon or an agent knows. */
        SessionReference: {
            agent: string;
            /** @description The agent's id of it. */
            agentSessionID?: string;
            /** @description Ours, if there is one. */
            sessionID?: components["schemas"]["SessionId"];
            cwd: string;
            title?: string;
            /** Format: int64 */
            updatedAt?: number;
            source: components["schemas"]["SessionSource"];
        };
        /** @description A page of them. */
        SessionReferences: {
            sessions: components["schemas"]["SessionReference"][];
            /** @description Pass as `cursor` for the next page; absent on the last. */
            nextCursor?: string;
        };
        /**
         * @description Who knows of a session.
         * @enum {string}
         */
        SessionSource: "local" | "remote" | "both";
        /** @description Everything that is known of a session, at one revision. */
        SessionState: {
            sessionID: components["schemas"]["SessionId"];
            /**
             * Format: int64
             * @description Grows with every change of the session; an update of that revision or an older one is part of this.
             */
            revision: number;
            threads: components["schemas"]["ThreadEntry"][];
            diffs: components["schemas"]["StateDiff"][];
            terminals: components["schemas"]["StateTerminal"][];
            toolCalls: components["schemas"]["ToolCallBundle"][];
            operations: components["schemas"]["OperationBundle"][];
            permissions: components["schemas"]["StatePermission"][];
            metadata: components["schemas"]["StateMetadata"];
            /** @description Absent as long as the agent has told none. */
            usage?: components["schemas"]["StateUsage"];
        };
        /** @description What a session is doing. */
        SessionStatus: {
            /** @enum {string} */
            type: "idle";
        } | {
            /** @enum {string} */
            type: "busy";
        };
        /** @description Times of a session. */
        SessionTime: {
            /** Format: int64 */
            created: number;
            /** Format: int64 */
            updated: number;
            /** Format: int64 */
            archived?: number;
            /** Format: int64 */
            pinned?: number;
        };
        /** @description Marks of a session; 0 or null clears one. */
        SessionTimeChange: {
            /** Format: int64 */
            archived?: number | null;
            /** Format: int64 */
            pinned?: number | null;
        };
        /**
         * @description The state of a session and the cursor to follow it from.
         *
         *     The cursor is taken first: an update made meanwhile may show up in both.
         */
        Snapshot: {
            sessionID: components["schemas"]["SessionId"];
            /** @description All live runs and the newest 100, by acceptance. */
            runs: components["schemas"]["RuntimeRun"][];
            /** @description Present and true if older runs were left out. */
            runsTruncated?: boolean;
            /** Format: int64 */
            oldestSequence: number;
            /** Format: int64 */
            latestSequence: number;
            permissions: components["schemas"]["PermissionRequest"][];
            questions: components["schemas"]["QuestionRequest"][];
            decisionScope: string;
        };
        /** @description A permission that was given for more than one session. */
        StandingGrant: {
            id: string;
            /** @description The category it allows. */
            permission: string;
            /** @description Exactly what it allows. */
            pattern: string;
            scope: components["schemas"]["StandingScope"];
            /**
             * Format: int64
             * @description When it was given.
             */
            created: number;
        };
        /**
         * @description How far a standing grant reaches.
         * @enum {string}
         */
        StandingScope: "project" | "global";
        /** @description A command the agent offers. */
        StateCommand: {
            name: string;
            description: string;
        };
        /** @description An option the agent offers. */
        StateConfigOption: {
            id: string;
            name: string;
            type: components["schemas"]["ConfigOptionType"];
            value: Record<string, unknown>;
            category?: string;
            description?: string;
            options?: components["schemas"]["ConfigChoice"][];
        };
        /** @description What became of a file by the agent's tools: the newest change of each path. */
        StateDiff: {
            path: string;
            changeType: components["schemas"]["ChangeType"];
            oldText?: string;
            newText: string;
            /** Format: int64 */
            oldLineCount?: number;
            /** Format: int64 */
            newLineCount: number;
            /** @description The call that changed it last. */
            toolCallId: string;
            /** Format: int64 */
            createdAt: number;
            /** Format: int64 */
            updatedAt: number;
            /**
             * Format: int64
             * @description 1 for the first, then one more with each change.
             */
            revision: number;
        };
        /** @description An update with the revision of the session at which it holds. */
        StateEvent: components["schemas"]["StateUpdate"] & {
            /** Format: int64 */
            revision: number;
        };
        /** @description What a session is called and set to. */
        StateMetadata: {
            id: components["schemas"]["SessionId"];
            title: string;
            currentModeId?: string;
            /** @description Current value of each config option by its id. */
            config: Record<string, unknown>;
            availableCommands: components["schemas"]["StateCommand"][];
            agentConfigOptions: components["schemas"]["StateConfigOption"][];
        };
        /** @description A permission that was asked for, or answered by a rule before anyone was. */
        StatePermission: {
            id: string;
            turnId?: components["schemas"]["TurnId"];
            operationId: string;
            kind: components["schemas"]["PermissionKind"];
            phase: components["schemas"]["PermissionPhase"];
            title: string;
            /** @description What an answer may choose from. */
            scopeOptions: components["schemas"]["PermissionScope"][];
            options: components["schemas"]["PermissionChoice"][];
            /** @description Its category, as rules name it. */
            permission: string;
            patterns: string[];
            /** @description What was said with the answer. */
            reason?: string;
            /** @description Who answered: rule, grant, policy, person or timeout. */
            actor?: string;
            /** @description Why nobody can answer any more. */
            closeReason?: string;
            /** Format: int64 */
            requestedAt: number;
            /** Format: int64 */
            resolvedAt?: number;
        };
        /** @description A command that runs, or ran, for the agent in a terminal of the daemon's. */
        StateTerminal: {
            terminalId: string;
            status: components["schemas"]["TerminalStatus"];
            command: string;
            cwd: string;
            /** @description The end of what it wrote, at most 64 KiB. */
            output: string;
            /**
             * Format: int64
             * @description In UTF-16 units.
             */
            outputLength: number;
            /** Format: int64 */
            outputLineCount: number;
            /** @description Earlier output was dropped. */
            truncated: boolean;
            /** Format: int64 */
            exitCode?: number;
            signal?: string;
            /** @description The call that shows it. */
            toolCallId?: string;
            /** Format: int64 */
            createdAt: number;
            /** Format: int64 */
            updatedAt: number;
            /** Format: int64 */
            completedAt?: number;
            /** Format: int64 */
            stopRequestedAt?: number;
            /** Format: int64 */
            releasedAt?: number;
            /**
             * Format: int64
             * @description 1 for the first, then one more with each change.
             */
            revision: number;
        };
        /** @description One object of the read model that came or changed, whole. */
        StateUpdate: {
            entry: components["schemas"]["ThreadEntry"];
            /** @enum {string} */
            type: "thread_entry_added";
        } | {
            entry: components["schemas"]["ThreadEntry"];
            /** @enum {string} */
            type: "thread_entry_updated";
        } | {
            diff: components["schemas"]["StateDiff"];
            /** @enum {string} */
            type: "diff_updated";
        } | {
            terminal: components["schemas"]["StateTerminal"];
            /** @enum {string} */
            type: "terminal_updated";
        } | {
            operation: components["schemas"]["Operation"];
            turn_id?: components["schemas"]["TurnId"];
            lifecycle: components["schemas"]["OperationLifecycle"];
            error_message?: string;
            /** @enum {string} */
            type: "operation_projection_updated";
        } | {
            operation: components["schemas"]["Operation"];
            request: components["schemas"]["StatePermission"];
            turn_id?: components["schemas"]["TurnId"];
            lifecycle: components["schemas"]["PermissionLifecycle"];
            decision?: components["schemas"]["PermissionDecision"];
            /** @enum {string} */
            type: "permission_projection_updated";
        } | {
            metadata: components["schemas"]["StateMetadata"];
            /** @enum {string} */
            type: "metadata_projection_updated";
        } | {
            usage: components["schemas"]["StateUsage"];
            /** @enum {string} */
            type: "usage_projection_updated";
        };
        /** @description Tokens and cost, as far as the agent told them: those of the newest turn, and how full its context is. */
        StateUsage: {
            /**
             * Format: int64
             * @default null
             */
            inputTokens: number;
            /**
             * Format: int64
             * @default null
             */
            outputTokens: number;
            /**
             * Format: int64
             * @default null
             */
            totalTokens: number;
            /**
             * Format: int64
             * @default null
             */
            thoughtTokens: number;
            /**
             * Format: int64
             * @default null
             */
            cachedReadTokens: number;
            /**
             * Format: int64
             * @default null
             */
            cachedWriteTokens: number;
            /**
             * Format: int64
             * @default null
             */
            contextUsedTokens: number;
            /**
             * Format: int64
             * @default null
             */
            contextWindowTokens: number;
            /**
             * Format: double
             * @description Only if the agent tells it in dollars.
             * @default null
             */
            costUsd: number;
        };
        /** @description The agent answered the prompt. */
        StepFinishPart: {
            reason: string;
            /** Format: double */
            cost: number;
            tokens: components["schemas"]["Tokens"];
        };
        /** @description The agent was prompted. */
        StepStartPart: Record<string, unknown>;
        /** @description An explicit subtask. */
        SubtaskInput: {
            id?: string | null;
            prompt: string;
            description: string;
            agent: string;
            model?: components["schemas"]["ModelRef"] | null;
            command?: string | null;
            attachments?: components["schemas"]["FileInput"][] | null;
        };
        /** @description An explicit subtask. */
        SubtaskPart: {
            prompt: string;
            description: string;
            agent: string;
            model?: components["schemas"]["ModelRef"];
            command?: string;
        };
        /**
         * @description What an operation is aimed at.
         * @enum {string}
         */
        TargetType: "command" | "endpoint" | "mcp_tool" | "path" | "unknown";
        /**
         * @description How a terminal stands.
         * @enum {string}
         */
        TerminalStatus: "unknown" | "running" | "completed";
        /** @description Ordinary text. */
        TextInput: {
            id?: string | null;
            text: string;
        };
        /** @description Text of a prompt or an answer. */
        TextPart: {
            text: string;
            synthetic?: boolean;
            time?: components["schemas"]["PartTime"];
            metadata?: Record<string, unknown>;
        };
        /** @description What the agent thought in a turn. */
        ThoughtEntry: {
            id: string;
            turnId?: components["schemas"]["TurnId"];
            text: string;
            /** @description streaming, completed or failed. */
            status: components["schemas"]["ThreadEntryStatus"];
        };
        /** @description One entry of the conversation. Its id never changes; those of messages and tool calls are theirs in the transcript. */
        ThreadEntry: (components["schemas"]["UserEntry"] & {
            /** @enum {string} */
            kind: "user_message";
        }) | (components["schemas"]["AssistantEntry"] & {
            /** @enum {string} */
            kind: "assistant_message";
        }) | (components["schemas"]["ThoughtEntry"] & {
            /** @enum {string} */
            kind: "assistant_thought";
        }) | (components["schemas"]["PlanEntry"] & {
            /** @enum {string} */
            kind: "plan";
        }) | (components["schemas"]["ToolCallEntry"] & {
            /** @enum {string} */
            kind: "tool_call";
        });
        /**
         * @description How far an entry has come.
         * @enum {string}
         */
        ThreadEntryStatus: "streaming" | "pending" | "in_progress" | "completed" | "failed";
        /** @description One entry of the agent's plan. */
        Todo: {
            id: string;
            content: string;
            /** @description pending, in_progress or completed. */
            status: string;
            /** @description high, medium or low. */
            priority: string;
        };
        /** @description Tokens used; 0 where the agent does not tell. */
        Tokens: {
            /** Format: int64 */
            input: number;
            /** Format: int64 */
            output: number;
            /** Format: int64 */
            reasoning: number;
            cache: components["schemas"]["CacheTokens"];
        };
        /** @description A tool call with what it changed and ran. */
        ToolCallBundle: {
            toolCall: components["schemas"]["ToolCallEntry"];
            diffs: components["schemas"]["StateDiff"][];
            terminals: components["schemas"]["StateTerminal"][];
        };
        /** @description A call of one of the agent's tools. */
        ToolCallEntry: {
            id: components["schemas"]["PartId"];
            turnId?: components["schemas"]["TurnId"];
            /** @description The agent's own id; some agents count anew each turn. */
            toolCallId: string;
            title: string;
            toolKind?: string;
            /** @description pending, in_progress, completed or failed. */
            status: components["schemas"]["ThreadEntryStatus"];
            content: components["schemas"]["ToolContent"][];
            locations?: components["schemas"]["ToolLocation"][];
            rawInput?: Record<string, unknown>;
        };
        /** @description Done. */
        ToolCompleted: {
            input: Record<string, unknown>;
            output: string;
            title: string;
            metadata: Record<string, unknown>;
            time: components["schemas"]["ToolSpan"];
        };
        /** @description One item of what a call came to; `id` is its kind and place. */
        ToolContent: {
            id: string;
            text: string;
            /** @enum {string} */
            kind: "content";
        } | {
            id: string;
            path: string;
            old_text?: string;
            new_text: string;
            change_type: components["schemas"]["ChangeType"];
            /** @enum {string} */
            kind: "diff";
        } | {
            id: string;
            terminal_id: string;
            status: components["schemas"]["TerminalStatus"];
            command?: string;
            cwd?: string;
            output?: string;
            truncated?: boolean;
            /** Format: int64 */
            exit_code?: number;
            /** @enum {string} */
            kind: "terminal";
        };
        /** @description Failed, refused or cut off. */
        ToolError: {
            input: Record<string, unknown>;
            error: string;
            metadata?: Record<string, unknown>;
            time: components["schemas"]["ToolSpan"];
        };
        /** @description A place a call is about. */
        ToolLocation: {
            path: string;
            /** Format: int64 */
            line?: number;
        };
        /** @description A call of one of the agent's tools. */
        ToolPart: {
            callID: string;
            /** @description The agent's tool name if given, else the ACP kind. */
            tool: string;
            state: components["schemas"]["ToolState"];
            metadata?: Record<string, unknown>;
        };
        /** @description Announced, not started. */
        ToolPending: {
            input: Record<string, unknown>;
            /** @description The input as text. */
            raw: string;
        };
        /** @description The tool call a decision is about. */
        ToolRef: {
            messageID: components["schemas"]["MessageId"];
            callID: string;
        };
        /** @description At work. */
        ToolRunning: {
            input: Record<string, unknown>;
            title?: string;
            metadata?: Record<string, unknown>;
            time: components["schemas"]["ToolStart"];
        };
        /** @description When a tool ran. */
        ToolSpan: {
            /** Format: int64 */
            start: number;
            /** Format: int64 */
            end: number;
        };
        /** @description When a tool started. */
        ToolStart: {
            /** Format: int64 */
            start: number;
        };
        /** @description Where a tool call stands. */
        ToolState: (components["schemas"]["ToolPending"] & {
            /** @enum {string} */
            status: "pending";
        }) | (components["schemas"]["ToolRunning"] & {
            /** @enum {string} */
            status: "running";
        }) | (components["schemas"]["ToolCompleted"] & {
            /** @enum {string} */
            status: "completed";
        }) | (components["schemas"]["ToolError"] & {
            /** @enum {string} */
            status: "error";
        });
        TurnId: string;
        /**
         * @description Where a turn stands.
         * @enum {string}
         */
        TurnState: "queued" | "ready" | "active" | "completed" | "cancelled" | "coalesced" | "withdrawn" | "failed";
        /** @description One uploaded file, whole or on its way. */
        Upload: {
            id: components["schemas"]["UploadId"];
            /** @description `upload:` and the id: what a file part names it by. */
            url: string;
            filename: string;
            mime: string;
            /**
             * Format: int64
             * @description Bytes it has, or will have if that was said.
             */
            size: number;
            /** @description Digest of the bytes, once the file is whole. */
            sha256?: string;
            /**
             * Format: int64
             * @description Bytes that are here: where the next piece begins.
             */
            offset: number;
            /** Format: int64 */
            created: number;
        };
        UploadId: string;
        /** @description A prompt. */
        UserEntry: {
            id: components["schemas"]["MessageId"];
            turnId?: components["schemas"]["TurnId"];
            text: string;
            content: components["schemas"]["ContentPart"][];
        };
        /** @description A prompt as it stands in the transcript. */
        UserInfo: {
            id: components["schemas"]["MessageId"];
            sessionID: components["schemas"]["SessionId"];
            time: components["schemas"]["UserTime"];
            /** @description Always `research`. */
            agent: string;
            model: components["schemas"]["ModelRef"];
            effort: components["schemas"]["Effort"];
            variant?: string;
            tier?: string;
            /** Format: int64 */
            context?: number;
            delegation?: boolean;
            delegationSettings?: components["schemas"]["DelegationSettings"];
        };
        /** @description Times of a user message. */
        UserTime: {
            /** Format: int64 */
            created: number;
        };
        /** @description What a run waits for: people, not the agent. */
        Waiting: {
            /** @description Ids of the pending decisions. */
            decisions: components["schemas"]["DecisionId"][];
            /**
             * Format: int64
             * @description When the oldest of them was asked.
             */
            since: number;
        };
        /** @description A value, or one with more to say. */
        WishInput: string | {
            value: string;
            /** @description Other names of the value, tried after it. */
            aliases?: string[] | null;
            /** @description The session is of no use without it. */
            required?: boolean | null;
        };
        /** @description How many turns were taken back. */
        Withdrawn: {
            /** Format: int32 */
            withdrawn: number;
        };
        /**
         * @description Where the agent works.
         * @enum {string}
         */
        Workspace: "isolated" | "project";
    };
    responses: never;
    parameters: never;
    requestBodies: never;
    headers: never;
    pathItems: never;
}
export type $defs = Record<string, never>;
export interface operations {
    "agent.list": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Agents by id. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Agent"][];
                };
            };
            /** @description The bearer token is missing or wrong. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The Host name or the origin is not allowed. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description A failure of the daemon; its log knows more. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description Any other refusal, such as 405 for a method the path does not have. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
        };
    };
    "agent.connections": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Agent processes. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AgentConnection"][];
                };
            };
            /** @description The bearer token is missing or wrong. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The Host name or the origin is not allowed. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description A failure of the daemon; its log knows more. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description Any other refusal, such as 405 for a method the path does not have. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
        };
    };
    "agent.disconnect": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description True: it is gone. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": boolean;
                };
            };
            /** @description The bearer token is missing or wrong. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The Host name or the origin is not allowed. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description connection_not_found. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description A failure of the daemon; its log knows more. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description Any other refusal, such as 405 for a method the path does not have. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
        };
    };
    "agent.get": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The agent. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Agent"];
                };
            };
            /** @description The bearer token is missing or wrong. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The Host name or the origin is not allowed. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description agent_not_found. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description A failure of the daemon; its log knows more. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description Any other refusal, such as 405 for a method the path does not have. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
        };
    };
    "agent.authenticate": {
        parameters: {
            query?: {
                /** @description Absolute directory of the project; the daemon's own if nothing selects one. */
                directory?: string;
                /** @description Id of the project. */
                project?: string;
                /** @description The same by its other name. */
                projectID?: string;
            };
            header?: {
                /** @description As `directory`, which wins; percent-encoded if it is not ASCII. */
                "x-openscience-directory"?: string;
                /** @description As `project`, which wins. */
                "x-openscience-project"?: string;
            };
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["LoginInput"];
            };
        };
        responses: {
            /** @description The way that was taken. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AgentLogin"];
                };
            };
            /** @description invalid_request or auth_method_not_found. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The bearer token is missing or wrong. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The Host name or the origin is not allowed. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description agent_not_found. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The body did not come on for a minute. */
            408: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description auth_terminal or auth_env. */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The directory of the project is gone. */
            410: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The body is longer than `limit` bytes. */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The body is not application/json. */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description A failure of the daemon; its log knows more. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description auth_failed, or the agent could not be started. */
            502: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The daemon shuts down or its store is unavailable. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description Any other refusal, such as 405 for a method the path does not have. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
        };
    };
    "artifact.finalize": {
        parameters: {
            query?: {
                /** @description Absolute directory of the project; the daemon's own if nothing selects one. */
                directory?: string;
                /** @description Id of the project. */
                project?: string;
                /** @description The same by its other name. */
                projectID?: string;
            };
            header?: {
                /** @description As `directory`, which wins; percent-encoded if it is not ASCII. */
                "x-openscience-directory"?: string;
                /** @description As `project`, which wins. */
                "x-openscience-project"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["FinalizeInput"];
            };
        };
        responses: {
            /** @description The files of the claim, by name. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ArtifactFile"][];
                };
            };
            /** @description The request or the directory is not valid. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The bearer token is missing or wrong. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The Host name or the origin is not allowed. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description claim_not_found. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The body did not come on for a minute. */
            408: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description claim_conflict: they belong to another message; claim_not_finalized with the reason. */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The directory of the project is gone. */
            410: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The body is longer than `limit` bytes. */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The body is not application/json. */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description A failure of the daemon; its log knows more. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The daemon shuts down or its store is unavailable. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description Any other refusal, such as 405 for a method the path does not have. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
        };
    };
    "artifact.preview": {
        parameters: {
            query?: {
                /** @description Of a Result: this version instead of the newest. */
                versionID?: string;
                /** @description Byte at which the page begins; of a notebook, the cell. */
                offset?: number;
                /** @description Bytes the page has at most: 8,192 if left out, never more than 10 MiB. */
                maxBytes?: number;
                /** @description As the kind of file wants it if left out. */
                encoding?: components["schemas"]["PreviewEncoding"];
                /** @description Absolute directory of the project; the daemon's own if nothing selects one. */
                directory?: string;
                /** @description Id of the project. */
                project?: string;
                /** @description The same by its other name. */
                projectID?: string;
            };
            header?: {
                /** @description As `directory`, which wins; percent-encoded if it is not ASCII. */
                "x-openscience-directory"?: string;
                /** @description As `project`, which wins. */
                "x-openscience-project"?: string;
            };
            path: {
                /** @description `art_…`, or `sessionId:ownerId:filename`, percent-encoded. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The page. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Preview"];
                };
            };
            /** @description The request or the directory is not valid. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The bearer token is missing or wrong. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The Host name or the origin is not allowed. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description artifact_not_found. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The directory is not that of the project, or see the code. */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description artifact_damaged: the bytes are gone. */
            410: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description A failure of the daemon; its log knows more. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The daemon shuts down or its store is unavailable. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description Any other refusal, such as 405 for a method the path does not have. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
        };
    };
    "artifact.raw": {
        parameters: {
            query?: {
                /** @description Another version than the newest. */
                versionID?: string;
                /** @description To be saved, not shown. */
                download?: boolean;
                /** @description Absolute directory of the project; the daemon's own if nothing selects one. */
                directory?: string;
                /** @description Id of the project. */
                project?: string;
                /** @description The same by its other name. */
                projectID?: string;
            };
            header?: {
                /** @description As `directory`, which wins; percent-encoded if it is not ASCII. */
                "x-openscience-directory"?: string;
                /** @description As `project`, which wins. */
                "x-openscience-project"?: string;
            };
            path: {
                /** @description `art_…`, or `sessionId:ownerId:filename`, percent-encoded. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The bytes. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/octet-stream": number[];
                };
            };
            /** @description The part that `Range` asks for. */
            206: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/octet-stream": number[];
                };
            };
            /** @description The request or the directory is not valid. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The bearer token is missing or wrong. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The Host name or the origin is not allowed. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description artifact_not_found. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The directory is not that of the project, or see the code. */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description artifact_damaged: the bytes are gone. */
            410: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description range_not_satisfiable. */
            416: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description A failure of the daemon; its log knows more. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The daemon shuts down or its store is unavailable. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description Any other refusal, such as 405 for a method the path does not have. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
        };
    };
    "global.doc": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The OpenAPI document. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": Record<string, unknown>;
                };
            };
            /** @description The bearer token is missing or wrong. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The Host name or the origin is not allowed. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description A failure of the daemon; its log knows more. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description Any other refusal, such as 405 for a method the path does not have. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
        };
    };
    "event.subscribe": {
        parameters: {
            query?: {
                /** @description Absolute directory of the project; the daemon's own if nothing selects one. */
                directory?: string;
                /** @description Id of the project. */
                project?: string;
                /** @description The same by its other name. */
                projectID?: string;
            };
            header?: {
                /** @description As `directory`, which wins; percent-encoded if it is not ASCII. */
                "x-openscience-directory"?: string;
                /** @description As `project`, which wins. */
                "x-openscience-project"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Frames of facts. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/event-stream": string;
                };
            };
            /** @description The request or the directory is not valid. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The bearer token is missing or wrong. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The Host name or the origin is not allowed. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The project, or what the request names, does not exist. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The directory is not that of the project, or see the code. */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The directory of the project is gone. */
            410: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description too_many_subscribers: come back after `Retry-After` seconds. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description A failure of the daemon; its log knows more. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The daemon shuts down or its store is unavailable. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description Any other refusal, such as 405 for a method the path does not have. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
        };
    };
    "results.declare": {
        parameters: {
            query?: {
                /** @description Absolute directory of the project; the daemon's own if nothing selects one. */
                directory?: string;
                /** @description Id of the project. */
                project?: string;
                /** @description The same by its other name. */
                projectID?: string;
            };
            header?: {
                /** @description As `directory`, which wins; percent-encoded if it is not ASCII. */
                "x-openscience-directory"?: string;
                /** @description As `project`, which wins. */
                "x-openscience-project"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["DeclareInput"];
            };
        };
        responses: {
            /** @description The Result. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Artifact"];
                };
            };
            /** @description invalid_request or artifact_refused. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The bearer token is missing or wrong. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description path_not_allowed: it leads out of the folders of the session. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description file_not_found, session_not_found or message_not_found. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The body did not come on for a minute. */
            408: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The directory is not that of the project, or see the code. */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The directory of the project is gone. */
            410: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The file is larger than `limit` bytes. */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The body is not application/json. */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description A failure of the daemon; its log knows more. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The daemon shuts down or its store is unavailable. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description storage_full: too little space would be left. */
            507: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description Any other refusal, such as 405 for a method the path does not have. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
        };
    };
    "results.list": {
        parameters: {
            query?: {
                /** @description `active` if absent. */
                state?: components["schemas"]["ArtifactState"];
                /** @description Absolute directory of the project; the daemon's own if nothing selects one. */
                directory?: string;
                /** @description Id of the project. */
                project?: string;
                /** @description The same by its other name. */
                projectID?: string;
            };
            header?: {
                /** @description As `directory`, which wins; percent-encoded if it is not ASCII. */
                "x-openscience-directory"?: string;
                /** @description As `project`, which wins. */
                "x-openscience-project"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Results. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Artifact"][];
                };
            };
            /** @description The request or the directory is not valid. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The bearer token is missing or wrong. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The Host name or the origin is not allowed. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The project, or what the request names, does not exist. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The directory is not that of the project, or see the code. */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The directory of the project is gone. */
            410: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description A failure of the daemon; its log knows more. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The daemon shuts down or its store is unavailable. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description Any other refusal, such as 405 for a method the path does not have. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
        };
    };
    "results.get": {
        parameters: {
            query?: {
                /** @description Absolute directory of the project; the daemon's own if nothing selects one. */
                directory?: string;
                /** @description Id of the project. */
                project?: string;
                /** @description The same by its other name. */
                projectID?: string;
            };
            header?: {
                /** @description As `directory`, which wins; percent-encoded if it is not ASCII. */
                "x-openscience-directory"?: string;
                /** @description As `project`, which wins. */
                "x-openscience-project"?: string;
            };
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The Result. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ArtifactDetail"];
                };
            };
            /** @description The request or the directory is not valid. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The bearer token is missing or wrong. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The Host name or the origin is not allowed. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description artifact_not_found. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The directory is not that of the project, or see the code. */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The directory of the project is gone. */
            410: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description A failure of the daemon; its log knows more. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The daemon shuts down or its store is unavailable. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description Any other refusal, such as 405 for a method the path does not have. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
        };
    };
    "results.trash": {
        parameters: {
            query?: {
                /** @description Absolute directory of the project; the daemon's own if nothing selects one. */
                directory?: string;
                /** @description Id of the project. */
                project?: string;
                /** @description The same by its other name. */
                projectID?: string;
            };
            header?: {
                /** @description As `directory`, which wins; percent-encoded if it is not ASCII. */
                "x-openscience-directory"?: string;
                /** @description As `project`, which wins. */
                "x-openscience-project"?: string;
            };
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The Result. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Artifact"];
                };
            };
            /** @description The request or the directory is not valid. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The bearer token is missing or wrong. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The Host name or the origin is not allowed. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description artifact_not_found. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The directory is not that of the project, or see the code. */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The directory of the project is gone. */
            410: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description A failure of the daemon; its log knows more. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The daemon shuts down or its store is unavailable. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description Any other refusal, such as 405 for a method the path does not have. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
        };
    };
    "results.update": {
        parameters: {
            query?: {
                /** @description Absolute directory of the project; the daemon's own if nothing selects one. */
                directory?: string;
                /** @description Id of the project. */
                project?: string;
                /** @description The same by its other name. */
                projectID?: string;
            };
            header?: {
                /** @description As `directory`, which wins; percent-encoded if it is not ASCII. */
                "x-openscience-directory"?: string;
                /** @description As `project`, which wins. */
                "x-openscience-project"?: string;
            };
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ResultChange"];
            };
        };
        responses: {
            /** @description The Result. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Artifact"];
                };
            };
            /** @description The request or the directory is not valid. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The bearer token is missing or wrong. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The Host name or the origin is not allowed. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description artifact_not_found. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The body did not come on for a minute. */
            408: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The directory is not that of the project, or see the code. */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The directory of the project is gone. */
            410: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The body is longer than `limit` bytes. */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The body is not application/json. */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description A failure of the daemon; its log knows more. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The daemon shuts down or its store is unavailable. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description Any other refusal, such as 405 for a method the path does not have. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
        };
    };
    "results.raw": {
        parameters: {
            query?: {
                /** @description Another version than the newest. */
                versionID?: string;
                /** @description To be saved, not shown. */
                download?: boolean;
                /** @description Absolute directory of the project; the daemon's own if nothing selects one. */
                directory?: string;
                /** @description Id of the project. */
                project?: string;
                /** @description The same by its other name. */
                projectID?: string;
            };
            header?: {
                /** @description As `directory`, which wins; percent-encoded if it is not ASCII. */
                "x-openscience-directory"?: string;
                /** @description As `project`, which wins. */
                "x-openscience-project"?: string;
            };
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The bytes. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/octet-stream": number[];
                };
            };
            /** @description The part that `Range` asks for. */
            206: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/octet-stream": number[];
                };
            };
            /** @description The request or the directory is not valid. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The bearer token is missing or wrong. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The Host name or the origin is not allowed. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description artifact_not_found. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The directory is not that of the project, or see the code. */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description artifact_damaged: the bytes are gone. */
            410: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description range_not_satisfiable. */
            416: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description A failure of the daemon; its log knows more. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The daemon shuts down or its store is unavailable. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description Any other refusal, such as 405 for a method the path does not have. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
        };
    };
    "results.restore": {
        parameters: {
            query?: {
                /** @description Absolute directory of the project; the daemon's own if nothing selects one. */
                directory?: string;
                /** @description Id of the project. */
                project?: string;
                /** @description The same by its other name. */
                projectID?: string;
            };
            header?: {
                /** @description As `directory`, which wins; percent-encoded if it is not ASCII. */
                "x-openscience-directory"?: string;
                /** @description As `project`, which wins. */
                "x-openscience-project"?: string;
            };
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The Result. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Artifact"];
                };
            };
            /** @description The request or the directory is not valid. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The bearer token is missing or wrong. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The Host name or the origin is not allowed. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description artifact_not_found. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The directory is not that of the project, or see the code. */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The directory of the project is gone. */
            410: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description A failure of the daemon; its log knows more. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The daemon shuts down or its store is unavailable. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description Any other refusal, such as 405 for a method the path does not have. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
        };
    };
    "file.uploads": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Uploads. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Upload"][];
                };
            };
            /** @description The bearer token is missing or wrong. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The Host name or the origin is not allowed. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description A failure of the daemon; its log knows more. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description Any other refusal, such as 405 for a method the path does not have. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
        };
    };
    "file.upload": {
        parameters: {
            query?: {
                /** @description Its name, without directories; at most 255 bytes. */
                filename?: string;
                /** @description Its type; told by its name if left out. */
                mime?: string;
                /** @description Bytes it will have, if it comes in pieces: it is whole once it has them. */
                size?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/octet-stream": string;
            };
        };
        responses: {
            /** @description The file, as far as it has come. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Upload"];
                };
            };
            /** @description invalid_request. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The bearer token is missing or wrong. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The Host name or the origin is not allowed. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The body did not come on for a minute; what came is kept. */
            408: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The file is larger than `limit` bytes. */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description A failure of the daemon; its log knows more. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description storage_full. */
            507: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description Any other refusal, such as 405 for a method the path does not have. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
        };
    };
    "file.get": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: components["schemas"]["UploadId"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The upload. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Upload"];
                };
            };
            /** @description The bearer token is missing or wrong. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The Host name or the origin is not allowed. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description upload_not_found. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description A failure of the daemon; its log knows more. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description Any other refusal, such as 405 for a method the path does not have. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
        };
    };
    "file.resume": {
        parameters: {
            query: {
                /** @description Bytes that are there already. */
                offset: number;
            };
            header?: never;
            path: {
                id: components["schemas"]["UploadId"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/octet-stream": string;
            };
        };
        responses: {
            /** @description The file, as far as it has come. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Upload"];
                };
            };
            /** @description invalid_request. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The bearer token is missing or wrong. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The Host name or the origin is not allowed. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description upload_not_found. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The body did not come on for a minute; what came is kept. */
            408: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description upload_offset, upload_busy or upload_sealed. */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The file is larger than `limit` bytes. */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description A failure of the daemon; its log knows more. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description storage_full; what came is kept. */
            507: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description Any other refusal, such as 405 for a method the path does not have. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
        };
    };
    "file.delete": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: components["schemas"]["UploadId"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description True: it is gone. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": boolean;
                };
            };
            /** @description The bearer token is missing or wrong. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The Host name or the origin is not allowed. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description upload_not_found. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description upload_in_use. */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description A failure of the daemon; its log knows more. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description Any other refusal, such as 405 for a method the path does not have. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
        };
    };
    "file.preview": {
        parameters: {
            query?: {
                /** @description Byte at which the page begins; of a notebook, the cell. */
                offset?: number;
                /** @description Bytes the page has at most: 8,192 if left out, never more than 10 MiB. */
                maxBytes?: number;
                /** @description As the kind of file wants it if left out. */
                encoding?: components["schemas"]["PreviewEncoding"];
            };
            header?: never;
            path: {
                id: components["schemas"]["UploadId"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The page. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Preview"];
                };
            };
            /** @description invalid_request: the offset is beyond the end. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The bearer token is missing or wrong. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The Host name or the origin is not allowed. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description upload_not_found. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description A failure of the daemon; its log knows more. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description Any other refusal, such as 405 for a method the path does not have. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
        };
    };
    "global.event": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Frames of facts. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/event-stream": string;
                };
            };
            /** @description The bearer token is missing or wrong. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The Host name or the origin is not allowed. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description too_many_subscribers: come back after `Retry-After` seconds. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description A failure of the daemon; its log knows more. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description shutting_down. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description Any other refusal, such as 405 for a method the path does not have. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
        };
    };
    "global.health": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The daemon answers. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Health"];
                };
            };
            /** @description The bearer token is missing or wrong. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The Host name or the origin is not allowed. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description A failure of the daemon; its log knows more. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description Any other refusal, such as 405 for a method the path does not have. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
        };
    };
    "global.metrics": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Gauges. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/plain": string;
                };
            };
            /** @description The bearer token is missing or wrong. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The Host name or the origin is not allowed. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description A failure of the daemon; its log knows more. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description Any other refusal, such as 405 for a method the path does not have. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
        };
    };
    "permission.list": {
        parameters: {
            query?: {
                /** @description Absolute directory of the project; the daemon's own if nothing selects one. */
                directory?: string;
                /** @description Id of the project. */
                project?: string;
                /** @description The same by its other name. */
                projectID?: string;
            };
            header?: {
                /** @description As `directory`, which wins; percent-encoded if it is not ASCII. */
                "x-openscience-directory"?: string;
                /** @description As `project`, which wins. */
                "x-openscience-project"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Pending permissions. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PermissionRequest"][];
                };
            };
            /** @description The request or the directory is not valid. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The bearer token is missing or wrong. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The Host name or the origin is not allowed. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The project, or what the request names, does not exist. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The directory is not that of the project, or see the code. */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The directory of the project is gone. */
            410: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description A failure of the daemon; its log knows more. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The daemon shuts down or its store is unavailable. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description Any other refusal, such as 405 for a method the path does not have. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
        };
    };
    "permission.standing": {
        parameters: {
            query?: {
                /** @description Absolute directory of the project; the daemon's own if nothing selects one. */
                directory?: string;
                /** @description Id of the project. */
                project?: string;
                /** @description The same by its other name. */
                projectID?: string;
            };
            header?: {
                /** @description As `directory`, which wins; percent-encoded if it is not ASCII. */
                "x-openscience-directory"?: string;
                /** @description As `project`, which wins. */
                "x-openscience-project"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Grants, oldest first. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["StandingGrant"][];
                };
            };
            /** @description The request or the directory is not valid. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The bearer token is missing or wrong. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The Host name or the origin is not allowed. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The project, or what the request names, does not exist. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The directory is not that of the project, or see the code. */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The directory of the project is gone. */
            410: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description A failure of the daemon; its log knows more. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The daemon shuts down or its store is unavailable. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description Any other refusal, such as 405 for a method the path does not have. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
        };
    };
    "permission.revoke": {
        parameters: {
            query?: {
                /** @description Absolute directory of the project; the daemon's own if nothing selects one. */
                directory?: string;
                /** @description Id of the project. */
                project?: string;
                /** @description The same by its other name. */
                projectID?: string;
            };
            header?: {
                /** @description As `directory`, which wins; percent-encoded if it is not ASCII. */
                "x-openscience-directory"?: string;
                /** @description As `project`, which wins. */
                "x-openscience-project"?: string;
            };
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description True: it is gone. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": boolean;
                };
            };
            /** @description The request or the directory is not valid. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The bearer token is missing or wrong. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The Host name or the origin is not allowed. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description grant_not_found. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The directory is not that of the project, or see the code. */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The directory of the project is gone. */
            410: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description A failure of the daemon; its log knows more. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The daemon shuts down or its store is unavailable. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description Any other refusal, such as 405 for a method the path does not have. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
        };
    };
    "permission.reply": {
        parameters: {
            query?: {
                /** @description Absolute directory of the project; the daemon's own if nothing selects one. */
                directory?: string;
                /** @description Id of the project. */
                project?: string;
                /** @description The same by its other name. */
                projectID?: string;
            };
            header?: {
                /** @description As `directory`, which wins; percent-encoded if it is not ASCII. */
                "x-openscience-directory"?: string;
                /** @description As `project`, which wins. */
                "x-openscience-project"?: string;
            };
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["PermissionReplyInput"];
            };
        };
        responses: {
            /** @description True: it is answered. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": boolean;
                };
            };
            /** @description invalid_request or scope_not_available. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The bearer token is missing or wrong. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The Host name or the origin is not allowed. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The project, or what the request names, does not exist. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The body did not come on for a minute. */
            408: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description decision_expired, or decision_not_owned with the `url` that can. */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The directory of the project is gone. */
            410: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The body is longer than `limit` bytes. */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The body is not application/json. */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description A failure of the daemon; its log knows more. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The daemon shuts down or its store is unavailable. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description Any other refusal, such as 405 for a method the path does not have. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
        };
    };
    "project.list": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Projects. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Project"][];
                };
            };
            /** @description The bearer token is missing or wrong. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The Host name or the origin is not allowed. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description A failure of the daemon; its log knows more. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description store_unavailable. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description Any other refusal, such as 405 for a method the path does not have. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
        };
    };
    "project.current": {
        parameters: {
            query?: {
                /** @description Absolute directory of the project; the daemon's own if nothing selects one. */
                directory?: string;
                /** @description Id of the project. */
                project?: string;
                /** @description The same by its other name. */
                projectID?: string;
            };
            header?: {
                /** @description As `directory`, which wins; percent-encoded if it is not ASCII. */
                "x-openscience-directory"?: string;
                /** @description As `project`, which wins. */
                "x-openscience-project"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The project. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Project"];
                };
            };
            /** @description The request or the directory is not valid. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The bearer token is missing or wrong. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The Host name or the origin is not allowed. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The project, or what the request names, does not exist. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The directory is not that of the project, or see the code. */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The directory of the project is gone. */
            410: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description A failure of the daemon; its log knows more. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The daemon shuts down or its store is unavailable. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description Any other refusal, such as 405 for a method the path does not have. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
        };
    };
    "question.list": {
        parameters: {
            query?: {
                /** @description Absolute directory of the project; the daemon's own if nothing selects one. */
                directory?: string;
                /** @description Id of the project. */
                project?: string;
                /** @description The same by its other name. */
                projectID?: string;
            };
            header?: {
                /** @description As `directory`, which wins; percent-encoded if it is not ASCII. */
                "x-openscience-directory"?: string;
                /** @description As `project`, which wins. */
                "x-openscience-project"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Pending questions. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["QuestionRequest"][];
                };
            };
            /** @description The request or the directory is not valid. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The bearer token is missing or wrong. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The Host name or the origin is not allowed. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The project, or what the request names, does not exist. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The directory is not that of the project, or see the code. */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The directory of the project is gone. */
            410: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description A failure of the daemon; its log knows more. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The daemon shuts down or its store is unavailable. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description Any other refusal, such as 405 for a method the path does not have. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
        };
    };
    "question.reject": {
        parameters: {
            query?: {
                /** @description Absolute directory of the project; the daemon's own if nothing selects one. */
                directory?: string;
                /** @description Id of the project. */
                project?: string;
                /** @description The same by its other name. */
                projectID?: string;
            };
            header?: {
                /** @description As `directory`, which wins; percent-encoded if it is not ASCII. */
                "x-openscience-directory"?: string;
                /** @description As `project`, which wins. */
                "x-openscience-project"?: string;
            };
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description True: it is dismissed. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": boolean;
                };
            };
            /** @description The request or the directory is not valid. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The bearer token is missing or wrong. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The Host name or the origin is not allowed. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The project, or what the request names, does not exist. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description decision_expired, or decision_not_owned with the `url` that can. */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The directory of the project is gone. */
            410: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description A failure of the daemon; its log knows more. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The daemon shuts down or its store is unavailable. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description Any other refusal, such as 405 for a method the path does not have. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
        };
    };
    "question.reply": {
        parameters: {
            query?: {
                /** @description Absolute directory of the project; the daemon's own if nothing selects one. */
                directory?: string;
                /** @description Id of the project. */
                project?: string;
                /** @description The same by its other name. */
                projectID?: string;
            };
            header?: {
                /** @description As `directory`, which wins; percent-encoded if it is not ASCII. */
                "x-openscience-directory"?: string;
                /** @description As `project`, which wins. */
                "x-openscience-project"?: string;
            };
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["QuestionReplyInput"];
            };
        };
        responses: {
            /** @description True: it is answered. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": boolean;
                };
            };
            /** @description invalid_request or invalid_answer. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The bearer token is missing or wrong. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The Host name or the origin is not allowed. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The project, or what the request names, does not exist. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The body did not come on for a minute. */
            408: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description decision_expired, or decision_not_owned with the `url` that can. */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The directory of the project is gone. */
            410: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The body is longer than `limit` bytes. */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The body is not application/json. */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description A failure of the daemon; its log knows more. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The daemon shuts down or its store is unavailable. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description Any other refusal, such as 405 for a method the path does not have. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
        };
    };
    "runtime.cancel": {
        parameters: {
            query?: {
                /** @description Absolute directory of the project; the daemon's own if nothing selects one. */
                directory?: string;
                /** @description Id of the project. */
                project?: string;
                /** @description The same by its other name. */
                projectID?: string;
            };
            header?: {
                /** @description As `directory`, which wins; percent-encoded if it is not ASCII. */
                "x-openscience-directory"?: string;
                /** @description As `project`, which wins. */
                "x-openscience-project"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["CancelInput"];
            };
        };
        responses: {
            /** @description The receipt as it stands now. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RuntimeRun"];
                };
            };
            /** @description The request or the directory is not valid. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The bearer token is missing or wrong. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The Host name or the origin is not allowed. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The project, or what the request names, does not exist. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The body did not come on for a minute. */
            408: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The directory is not that of the project, or see the code. */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The directory of the project is gone. */
            410: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The body is longer than `limit` bytes. */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The body is not application/json. */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description A failure of the daemon; its log knows more. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The daemon shuts down or its store is unavailable. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description Any other refusal, such as 405 for a method the path does not have. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
        };
    };
    "runtime.capabilities": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Protocol support. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Capabilities"];
                };
            };
            /** @description The bearer token is missing or wrong. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The Host name or the origin is not allowed. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description A failure of the daemon; its log knows more. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description Any other refusal, such as 405 for a method the path does not have. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
        };
    };
    "runtime.decide": {
        parameters: {
            query?: {
                /** @description Absolute directory of the project; the daemon's own if nothing selects one. */
                directory?: string;
                /** @description Id of the project. */
                project?: string;
                /** @description The same by its other name. */
                projectID?: string;
            };
            header?: {
                /** @description As `directory`, which wins; percent-encoded if it is not ASCII. */
                "x-openscience-directory"?: string;
                /** @description As `project`, which wins. */
                "x-openscience-project"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["DecisionInput"];
            };
        };
        responses: {
            /** @description The receipt of the decision. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DecisionResult"];
                };
            };
            /** @description invalid_request, invalid_answer or scope_not_available. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The bearer token is missing or wrong. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The Host name or the origin is not allowed. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The session does not exist in this project. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The body did not come on for a minute. */
            408: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description decision_conflict, decision_expired, or decision_not_owned with the `url` that can. */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The directory of the project is gone. */
            410: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The body is longer than `limit` bytes. */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The body is not application/json. */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description A failure of the daemon; its log knows more. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The daemon shuts down or its store is unavailable. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description Any other refusal, such as 405 for a method the path does not have. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
        };
    };
    "runtime.events": {
        parameters: {
            query: {
                sessionID: components["schemas"]["SessionId"];
                /** @description Sequence of the last event already seen; all retained events if absent. */
                afterSequence?: number;
                /** @description Absolute directory of the project; the daemon's own if nothing selects one. */
                directory?: string;
                /** @description Id of the project. */
                project?: string;
                /** @description The same by its other name. */
                projectID?: string;
            };
            header?: {
                /** @description As `directory`, which wins; percent-encoded if it is not ASCII. */
                "x-openscience-directory"?: string;
                /** @description As `project`, which wins. */
                "x-openscience-project"?: string;
                /** @description Sequence of the last event already seen. */
                "Last-Event-ID"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Frames of events. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/event-stream": string;
                };
            };
            /** @description invalid_request or invalid_cursor. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The bearer token is missing or wrong. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The Host name or the origin is not allowed. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The project, or what the request names, does not exist. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description cursor_expired or cursor_ahead, with `oldestSequence` and `latestSequence`. */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The directory of the project is gone. */
            410: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description too_many_subscribers: come back after `Retry-After` seconds. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description A failure of the daemon; its log knows more. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The daemon shuts down or its store is unavailable. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description Any other refusal, such as 405 for a method the path does not have. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
        };
    };
    "runtime.replay": {
        parameters: {
            query: {
                sessionID: components["schemas"]["SessionId"];
                /** @description Sequence of the last event already seen; all retained events if absent. */
                afterSequence?: number;
                /** @description Absolute directory of the project; the daemon's own if nothing selects one. */
                directory?: string;
                /** @description Id of the project. */
                project?: string;
                /** @description The same by its other name. */
                projectID?: string;
            };
            header?: {
                /** @description As `directory`, which wins; percent-encoded if it is not ASCII. */
                "x-openscience-directory"?: string;
                /** @description As `project`, which wins. */
                "x-openscience-project"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Events in order. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Replay"];
                };
            };
            /** @description invalid_request or invalid_cursor. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The bearer token is missing or wrong. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The Host name or the origin is not allowed. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The project, or what the request names, does not exist. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description cursor_expired or cursor_ahead, with `oldestSequence` and `latestSequence`. */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The directory of the project is gone. */
            410: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description A failure of the daemon; its log knows more. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The daemon shuts down or its store is unavailable. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description Any other refusal, such as 405 for a method the path does not have. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
        };
    };
    "runtime.prompt": {
        parameters: {
            query?: {
                /** @description Absolute directory of the project; the daemon's own if nothing selects one. */
                directory?: string;
                /** @description Id of the project. */
                project?: string;
                /** @description The same by its other name. */
                projectID?: string;
            };
            header?: {
                /** @description As `directory`, which wins; percent-encoded if it is not ASCII. */
                "x-openscience-directory"?: string;
                /** @description As `project`, which wins. */
                "x-openscience-project"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["PromptInput"];
            };
        };
        responses: {
            /** @description The prompt is admitted. */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PromptAccepted"];
                };
            };
            /** @description The request or the directory is not valid. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The bearer token is missing or wrong. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The Host name or the origin is not allowed. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The session does not exist in this project. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The body did not come on for a minute. */
            408: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description request_conflict, queue_full, session_busy or session_deleting. */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The directory of the project is gone. */
            410: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The body is longer than `limit` bytes. */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The body is not application/json. */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description too_many_sessions: come back after `Retry-After` seconds. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description A failure of the daemon; its log knows more. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The daemon shuts down or its store is unavailable. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description Any other refusal, such as 405 for a method the path does not have. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
        };
    };
    "runtime.run": {
        parameters: {
            query: {
                sessionID: components["schemas"]["SessionId"];
                runID: components["schemas"]["RunId"];
                /** @description A turn of the run, to be told with it. */
                turnID?: components["schemas"]["TurnId"];
                /** @description Absolute directory of the project; the daemon's own if nothing selects one. */
                directory?: string;
                /** @description Id of the project. */
                project?: string;
                /** @description The same by its other name. */
                projectID?: string;
            };
            header?: {
                /** @description As `directory`, which wins; percent-encoded if it is not ASCII. */
                "x-openscience-directory"?: string;
                /** @description As `project`, which wins. */
                "x-openscience-project"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The receipt. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RuntimeRun"];
                };
            };
            /** @description The request or the directory is not valid. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The bearer token is missing or wrong. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The Host name or the origin is not allowed. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The project, or what the request names, does not exist. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The directory is not that of the project, or see the code. */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The directory of the project is gone. */
            410: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description A failure of the daemon; its log knows more. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The daemon shuts down or its store is unavailable. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description Any other refusal, such as 405 for a method the path does not have. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
        };
    };
    "runtime.snapshot": {
        parameters: {
            query: {
                sessionID: components["schemas"]["SessionId"];
                /** @description Absolute directory of the project; the daemon's own if nothing selects one. */
                directory?: string;
                /** @description Id of the project. */
                project?: string;
                /** @description The same by its other name. */
                projectID?: string;
            };
            header?: {
                /** @description As `directory`, which wins; percent-encoded if it is not ASCII. */
                "x-openscience-directory"?: string;
                /** @description As `project`, which wins. */
                "x-openscience-project"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Runs, pending decisions and the cursor. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Snapshot"];
                };
            };
            /** @description The request or the directory is not valid. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The bearer token is missing or wrong. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The Host name or the origin is not allowed. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The project, or what the request names, does not exist. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The directory is not that of the project, or see the code. */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The directory of the project is gone. */
            410: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description A failure of the daemon; its log knows more. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The daemon shuts down or its store is unavailable. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description Any other refusal, such as 405 for a method the path does not have. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
        };
    };
    "session.list": {
        parameters: {
            query?: {
                /** @description Only sessions without a parent. */
                roots?: boolean;
                /** @description Only sessions updated at or after this time, in milliseconds. */
                start?: number;
                /** @description Part of the title, in any case. */
                search?: string;
                /** @description At most this many; all if absent or 0. */
                limit?: number;
                /** @description Only sessions listed after this one. */
                before?: components["schemas"]["SessionId"];
                /**
                 * @description Whose sessions: this daemon's (`local`, the default), those an agent knows (`remote`), or both
                 *     (`all`). The last two answer an object of references and take `agent` and `cursor` alone.
                 */
                source?: "local" | "remote" | "all";
                /** @description The agent that is asked; the default agent if left out. */
                agent?: string;
                /** @description Of the page before, for `remote` and `all`. */
                cursor?: string;
                /** @description Absolute directory of the project; the daemon's own if nothing selects one. */
                directory?: string;
                /** @description Id of the project. */
                project?: string;
                /** @description The same by its other name. */
                projectID?: string;
            };
            header?: {
                /** @description As `directory`, which wins; percent-encoded if it is not ASCII. */
                "x-openscience-directory"?: string;
                /** @description As `project`, which wins. */
                "x-openscience-project"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Sessions; for `source=remote` and `source=all` an object of references. */
            200: {
                headers: {
                    /** @description Pass as `before` for the next page; absent on the last. */
                    "x-next-cursor"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SessionList"];
                };
            };
            /** @description The request or the directory is not valid. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The bearer token is missing or wrong. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The Host name or the origin is not allowed. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The project, or what the request names, does not exist. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The directory is not that of the project, or see the code. */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The directory of the project is gone. */
            410: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description A failure of the daemon; its log knows more. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The daemon shuts down or its store is unavailable. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description Any other refusal, such as 405 for a method the path does not have. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
        };
    };
    "session.create": {
        parameters: {
            query?: {
                /** @description Absolute directory of the project; the daemon's own if nothing selects one. */
                directory?: string;
                /** @description Id of the project. */
                project?: string;
                /** @description The same by its other name. */
                projectID?: string;
            };
            header?: {
                /** @description As `directory`, which wins; percent-encoded if it is not ASCII. */
                "x-openscience-directory"?: string;
                /** @description As `project`, which wins. */
                "x-openscience-project"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["SessionInput"];
            };
        };
        responses: {
            /** @description The session. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Session"];
                };
            };
            /** @description invalid_request, agent_not_found, system_prompt_unsupported or not_available. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The bearer token is missing or wrong. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The Host name or the origin is not allowed. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The project, or what the request names, does not exist. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The body did not come on for a minute. */
            408: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description workspace_mismatch, session_conflict, session_deleted, session_deleting; for a conversation that is taken over also agent_session_taken, method_not_supported or auth_required. */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The directory of the project is gone. */
            410: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The body is longer than `limit` bytes. */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The body is not application/json. */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description A failure of the daemon; its log knows more. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The agent of a conversation that is taken over could not be started or asked, or refused. */
            502: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The daemon shuts down or its store is unavailable. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description Any other refusal, such as 405 for a method the path does not have. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
        };
    };
    "session.status": {
        parameters: {
            query?: {
                /** @description Absolute directory of the project; the daemon's own if nothing selects one. */
                directory?: string;
                /** @description Id of the project. */
                project?: string;
                /** @description The same by its other name. */
                projectID?: string;
            };
            header?: {
                /** @description As `directory`, which wins; percent-encoded if it is not ASCII. */
                "x-openscience-directory"?: string;
                /** @description As `project`, which wins. */
                "x-openscience-project"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Status by session id; idle sessions are absent. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        [key: string]: components["schemas"]["SessionStatus"];
                    };
                };
            };
            /** @description The request or the directory is not valid. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The bearer token is missing or wrong. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The Host name or the origin is not allowed. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The project, or what the request names, does not exist. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The directory is not that of the project, or see the code. */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The directory of the project is gone. */
            410: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description A failure of the daemon; its log knows more. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The daemon shuts down or its store is unavailable. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description Any other refusal, such as 405 for a method the path does not have. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
        };
    };
    "session.get": {
        parameters: {
            query?: {
                /** @description Absolute directory of the project; the daemon's own if nothing selects one. */
                directory?: string;
                /** @description Id of the project. */
                project?: string;
                /** @description The same by its other name. */
                projectID?: string;
            };
            header?: {
                /** @description As `directory`, which wins; percent-encoded if it is not ASCII. */
                "x-openscience-directory"?: string;
                /** @description As `project`, which wins. */
                "x-openscience-project"?: string;
            };
            path: {
                id: components["schemas"]["SessionId"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The session. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Session"];
                };
            };
            /** @description The request or the directory is not valid. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The bearer token is missing or wrong. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The Host name or the origin is not allowed. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The project, or what the request names, does not exist. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The directory is not that of the project, or see the code. */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The directory of the project is gone. */
            410: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description A failure of the daemon; its log knows more. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The daemon shuts down or its store is unavailable. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description Any other refusal, such as 405 for a method the path does not have. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
        };
    };
    "session.delete": {
        parameters: {
            query?: {
                /** @description Absolute directory of the project; the daemon's own if nothing selects one. */
                directory?: string;
                /** @description Id of the project. */
                project?: string;
                /** @description The same by its other name. */
                projectID?: string;
            };
            header?: {
                /** @description As `directory`, which wins; percent-encoded if it is not ASCII. */
                "x-openscience-directory"?: string;
                /** @description As `project`, which wins. */
                "x-openscience-project"?: string;
            };
            path: {
                id: components["schemas"]["SessionId"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description True: the session is gone. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": boolean;
                };
            };
            /** @description The request or the directory is not valid. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The bearer token is missing or wrong. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The Host name or the origin is not allowed. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The project, or what the request names, does not exist. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The directory is not that of the project, or see the code. */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The directory of the project is gone. */
            410: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description A failure of the daemon; its log knows more. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The daemon shuts down or its store is unavailable. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description Any other refusal, such as 405 for a method the path does not have. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
        };
    };
    "session.update": {
        parameters: {
            query?: {
                /** @description Absolute directory of the project; the daemon's own if nothing selects one. */
                directory?: string;
                /** @description Id of the project. */
                project?: string;
                /** @description The same by its other name. */
                projectID?: string;
            };
            header?: {
                /** @description As `directory`, which wins; percent-encoded if it is not ASCII. */
                "x-openscience-directory"?: string;
                /** @description As `project`, which wins. */
                "x-openscience-project"?: string;
            };
            path: {
                id: components["schemas"]["SessionId"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["SessionChange"];
            };
        };
        responses: {
            /** @description The session as it is now. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Session"];
                };
            };
            /** @description The request or the directory is not valid. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The bearer token is missing or wrong. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The Host name or the origin is not allowed. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The project, or what the request names, does not exist. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The body did not come on for a minute. */
            408: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The directory is not that of the project, or see the code. */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The directory of the project is gone. */
            410: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The body is longer than `limit` bytes. */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The body is not application/json. */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description A failure of the daemon; its log knows more. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The daemon shuts down or its store is unavailable. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description Any other refusal, such as 405 for a method the path does not have. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
        };
    };
    "session.abort": {
        parameters: {
            query?: {
                /** @description Absolute directory of the project; the daemon's own if nothing selects one. */
                directory?: string;
                /** @description Id of the project. */
                project?: string;
                /** @description The same by its other name. */
                projectID?: string;
            };
            header?: {
                /** @description As `directory`, which wins; percent-encoded if it is not ASCII. */
                "x-openscience-directory"?: string;
                /** @description As `project`, which wins. */
                "x-openscience-project"?: string;
                /** @description `runner_timeout` if a harness ran out of time; else a person is assumed. */
                "x-openscience-abort-source"?: string;
            };
            path: {
                id: components["schemas"]["SessionId"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Always true. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": boolean;
                };
            };
            /** @description The request or the directory is not valid. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The bearer token is missing or wrong. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The Host name or the origin is not allowed. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The project, or what the request names, does not exist. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The directory is not that of the project, or see the code. */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The directory of the project is gone. */
            410: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description A failure of the daemon; its log knows more. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The daemon shuts down or its store is unavailable. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description Any other refusal, such as 405 for a method the path does not have. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
        };
    };
    "session.agent": {
        parameters: {
            query?: {
                /** @description Absolute directory of the project; the daemon's own if nothing selects one. */
                directory?: string;
                /** @description Id of the project. */
                project?: string;
                /** @description The same by its other name. */
                projectID?: string;
            };
            header?: {
                /** @description As `directory`, which wins; percent-encoded if it is not ASCII. */
                "x-openscience-directory"?: string;
                /** @description As `project`, which wins. */
                "x-openscience-project"?: string;
            };
            path: {
                id: components["schemas"]["SessionId"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The agent. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SessionAgent"];
                };
            };
            /** @description The request or the directory is not valid. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The bearer token is missing or wrong. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The Host name or the origin is not allowed. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The project, or what the request names, does not exist. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The directory is not that of the project, or see the code. */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The directory of the project is gone. */
            410: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description A failure of the daemon; its log knows more. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The daemon shuts down or its store is unavailable. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description Any other refusal, such as 405 for a method the path does not have. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
        };
    };
    "session.config": {
        parameters: {
            query?: {
                /** @description Absolute directory of the project; the daemon's own if nothing selects one. */
                directory?: string;
                /** @description Id of the project. */
                project?: string;
                /** @description The same by its other name. */
                projectID?: string;
            };
            header?: {
                /** @description As `directory`, which wins; percent-encoded if it is not ASCII. */
                "x-openscience-directory"?: string;
                /** @description As `project`, which wins. */
                "x-openscience-project"?: string;
            };
            path: {
                id: components["schemas"]["SessionId"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ConfigInput"];
            };
        };
        responses: {
            /** @description The agent as it is now. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SessionAgent"];
                };
            };
            /** @description invalid_request, config_option_not_found or config_value_invalid. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The bearer token is missing or wrong. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The Host name or the origin is not allowed. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The project, or what the request names, does not exist. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The body did not come on for a minute. */
            408: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description session_busy, method_not_supported or auth_required. */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The directory of the project is gone. */
            410: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The body is longer than `limit` bytes. */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The body is not application/json. */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description A failure of the daemon; its log knows more. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The agent could not be started or asked, or refused. */
            502: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The daemon shuts down or its store is unavailable. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description Any other refusal, such as 405 for a method the path does not have. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
        };
    };
    "session.mode": {
        parameters: {
            query?: {
                /** @description Absolute directory of the project; the daemon's own if nothing selects one. */
                directory?: string;
                /** @description Id of the project. */
                project?: string;
                /** @description The same by its other name. */
                projectID?: string;
            };
            header?: {
                /** @description As `directory`, which wins; percent-encoded if it is not ASCII. */
                "x-openscience-directory"?: string;
                /** @description As `project`, which wins. */
                "x-openscience-project"?: string;
            };
            path: {
                id: components["schemas"]["SessionId"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ModeInput"];
            };
        };
        responses: {
            /** @description The agent as it is now. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SessionAgent"];
                };
            };
            /** @description invalid_request or mode_not_found. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The bearer token is missing or wrong. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The Host name or the origin is not allowed. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The project, or what the request names, does not exist. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The body did not come on for a minute. */
            408: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description session_busy, method_not_supported or auth_required. */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The directory of the project is gone. */
            410: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The body is longer than `limit` bytes. */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The body is not application/json. */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description A failure of the daemon; its log knows more. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The agent could not be started or asked, or refused. */
            502: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The daemon shuts down or its store is unavailable. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description Any other refusal, such as 405 for a method the path does not have. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
        };
    };
    "artifact.list": {
        parameters: {
            query?: {
                /** @description At most so many. */
                limit?: number;
                /** @description Only files after this version: the `x-next-cursor` of the page before. */
                after?: string;
                /** @description Absolute directory of the project; the daemon's own if nothing selects one. */
                directory?: string;
                /** @description Id of the project. */
                project?: string;
                /** @description The same by its other name. */
                projectID?: string;
            };
            header?: {
                /** @description As `directory`, which wins; percent-encoded if it is not ASCII. */
                "x-openscience-directory"?: string;
                /** @description As `project`, which wins. */
                "x-openscience-project"?: string;
            };
            path: {
                id: components["schemas"]["SessionId"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Files. */
            200: {
                headers: {
                    /** @description Pass as `after` for the next page; absent on the last. */
                    "x-next-cursor"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ArtifactFile"][];
                };
            };
            /** @description The request or the directory is not valid. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The bearer token is missing or wrong. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The Host name or the origin is not allowed. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The project, or what the request names, does not exist. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The directory is not that of the project, or see the code. */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The directory of the project is gone. */
            410: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description A failure of the daemon; its log knows more. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The daemon shuts down or its store is unavailable. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description Any other refusal, such as 405 for a method the path does not have. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
        };
    };
    "session.children": {
        parameters: {
            query?: {
                /** @description Absolute directory of the project; the daemon's own if nothing selects one. */
                directory?: string;
                /** @description Id of the project. */
                project?: string;
                /** @description The same by its other name. */
                projectID?: string;
            };
            header?: {
                /** @description As `directory`, which wins; percent-encoded if it is not ASCII. */
                "x-openscience-directory"?: string;
                /** @description As `project`, which wins. */
                "x-openscience-project"?: string;
            };
            path: {
                id: components["schemas"]["SessionId"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Sessions. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Session"][];
                };
            };
            /** @description The request or the directory is not valid. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The bearer token is missing or wrong. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The Host name or the origin is not allowed. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The project, or what the request names, does not exist. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The directory is not that of the project, or see the code. */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The directory of the project is gone. */
            410: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description A failure of the daemon; its log knows more. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The daemon shuts down or its store is unavailable. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description Any other refusal, such as 405 for a method the path does not have. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
        };
    };
    "session.close": {
        parameters: {
            query?: {
                /** @description Absolute directory of the project; the daemon's own if nothing selects one. */
                directory?: string;
                /** @description Id of the project. */
                project?: string;
                /** @description The same by its other name. */
                projectID?: string;
            };
            header?: {
                /** @description As `directory`, which wins; percent-encoded if it is not ASCII. */
                "x-openscience-directory"?: string;
                /** @description As `project`, which wins. */
                "x-openscience-project"?: string;
            };
            path: {
                id: components["schemas"]["SessionId"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Always true. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": boolean;
                };
            };
            /** @description The request or the directory is not valid. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The bearer token is missing or wrong. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The Host name or the origin is not allowed. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The project, or what the request names, does not exist. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description session_busy or session_deleting. */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The directory of the project is gone. */
            410: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description A failure of the daemon; its log knows more. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The daemon shuts down or its store is unavailable. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description Any other refusal, such as 405 for a method the path does not have. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
        };
    };
    "session.fork": {
        parameters: {
            query?: {
                /** @description Absolute directory of the project; the daemon's own if nothing selects one. */
                directory?: string;
                /** @description Id of the project. */
                project?: string;
                /** @description The same by its other name. */
                projectID?: string;
            };
            header?: {
                /** @description As `directory`, which wins; percent-encoded if it is not ASCII. */
                "x-openscience-directory"?: string;
                /** @description As `project`, which wins. */
                "x-openscience-project"?: string;
            };
            path: {
                id: components["schemas"]["SessionId"];
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["ForkBody"];
            };
        };
        responses: {
            /** @description The fork. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Session"];
                };
            };
            /** @description invalid_request or system_prompt_unsupported. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The bearer token is missing or wrong. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The Host name or the origin is not allowed. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The project, or what the request names, does not exist. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The body did not come on for a minute. */
            408: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description session_busy, agent_session_missing, method_not_supported, session_conflict, session_deleted or auth_required. */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The directory of the project is gone. */
            410: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The body is longer than `limit` bytes. */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The body is not application/json. */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description A failure of the daemon; its log knows more. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The agent could not be started or asked, or refused. */
            502: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The daemon shuts down or its store is unavailable. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description Any other refusal, such as 405 for a method the path does not have. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
        };
    };
    "session.load": {
        parameters: {
            query?: {
                /** @description Absolute directory of the project; the daemon's own if nothing selects one. */
                directory?: string;
                /** @description Id of the project. */
                project?: string;
                /** @description The same by its other name. */
                projectID?: string;
            };
            header?: {
                /** @description As `directory`, which wins; percent-encoded if it is not ASCII. */
                "x-openscience-directory"?: string;
                /** @description As `project`, which wins. */
                "x-openscience-project"?: string;
            };
            path: {
                id: components["schemas"]["SessionId"];
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["OpenBody"];
            };
        };
        responses: {
            /** @description The agent as it is now. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SessionAgent"];
                };
            };
            /** @description invalid_request or system_prompt_unsupported. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The bearer token is missing or wrong. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The Host name or the origin is not allowed. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The project, or what the request names, does not exist. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The body did not come on for a minute. */
            408: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description session_busy, agent_session_missing, method_not_supported or auth_required. */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The directory of the project is gone. */
            410: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The body is longer than `limit` bytes. */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The body is not application/json. */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description A failure of the daemon; its log knows more. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The agent could not be started or asked, or refused. */
            502: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The daemon shuts down or its store is unavailable. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description Any other refusal, such as 405 for a method the path does not have. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
        };
    };
    "session.messages": {
        parameters: {
            query?: {
                /** @description Only the newest so many; all if absent or 0. */
                limit?: number;
                /** @description Absolute directory of the project; the daemon's own if nothing selects one. */
                directory?: string;
                /** @description Id of the project. */
                project?: string;
                /** @description The same by its other name. */
                projectID?: string;
            };
            header?: {
                /** @description As `directory`, which wins; percent-encoded if it is not ASCII. */
                "x-openscience-directory"?: string;
                /** @description As `project`, which wins. */
                "x-openscience-project"?: string;
            };
            path: {
                id: components["schemas"]["SessionId"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Messages with their parts. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Message"][];
                };
            };
            /** @description The request or the directory is not valid. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The bearer token is missing or wrong. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The Host name or the origin is not allowed. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The project, or what the request names, does not exist. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The directory is not that of the project, or see the code. */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The directory of the project is gone. */
            410: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description A failure of the daemon; its log knows more. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The daemon shuts down or its store is unavailable. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description Any other refusal, such as 405 for a method the path does not have. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
        };
    };
    "session.message": {
        parameters: {
            query?: {
                /** @description Absolute directory of the project; the daemon's own if nothing selects one. */
                directory?: string;
                /** @description Id of the project. */
                project?: string;
                /** @description The same by its other name. */
                projectID?: string;
            };
            header?: {
                /** @description As `directory`, which wins; percent-encoded if it is not ASCII. */
                "x-openscience-directory"?: string;
                /** @description As `project`, which wins. */
                "x-openscience-project"?: string;
            };
            path: {
                id: components["schemas"]["SessionId"];
                messageID: components["schemas"]["MessageId"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The message with its parts. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Message"];
                };
            };
            /** @description The request or the directory is not valid. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The bearer token is missing or wrong. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The Host name or the origin is not allowed. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The project, or what the request names, does not exist. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The directory is not that of the project, or see the code. */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The directory of the project is gone. */
            410: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description A failure of the daemon; its log knows more. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The daemon shuts down or its store is unavailable. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description Any other refusal, such as 405 for a method the path does not have. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
        };
    };
    "queue.list": {
        parameters: {
            query?: {
                /** @description Absolute directory of the project; the daemon's own if nothing selects one. */
                directory?: string;
                /** @description Id of the project. */
                project?: string;
                /** @description The same by its other name. */
                projectID?: string;
            };
            header?: {
                /** @description As `directory`, which wins; percent-encoded if it is not ASCII. */
                "x-openscience-directory"?: string;
                /** @description As `project`, which wins. */
                "x-openscience-project"?: string;
            };
            path: {
                id: components["schemas"]["SessionId"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The queue. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Queue"];
                };
            };
            /** @description The request or the directory is not valid. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The bearer token is missing or wrong. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The Host name or the origin is not allowed. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The project, or what the request names, does not exist. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The directory is not that of the project, or see the code. */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The directory of the project is gone. */
            410: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description A failure of the daemon; its log knows more. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The daemon shuts down or its store is unavailable. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description Any other refusal, such as 405 for a method the path does not have. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
        };
    };
    "queue.set": {
        parameters: {
            query?: {
                /** @description Absolute directory of the project; the daemon's own if nothing selects one. */
                directory?: string;
                /** @description Id of the project. */
                project?: string;
                /** @description The same by its other name. */
                projectID?: string;
            };
            header?: {
                /** @description As `directory`, which wins; percent-encoded if it is not ASCII. */
                "x-openscience-directory"?: string;
                /** @description As `project`, which wins. */
                "x-openscience-project"?: string;
            };
            path: {
                id: components["schemas"]["SessionId"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["QueuePolicy"];
            };
        };
        responses: {
            /** @description The queue as it is now. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Queue"];
                };
            };
            /** @description The request or the directory is not valid. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The bearer token is missing or wrong. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The Host name or the origin is not allowed. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The project, or what the request names, does not exist. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The body did not come on for a minute. */
            408: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The directory is not that of the project, or see the code. */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The directory of the project is gone. */
            410: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The body is longer than `limit` bytes. */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The body is not application/json. */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description A failure of the daemon; its log knows more. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The daemon shuts down or its store is unavailable. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description Any other refusal, such as 405 for a method the path does not have. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
        };
    };
    "queue.clear": {
        parameters: {
            query?: {
                /** @description Absolute directory of the project; the daemon's own if nothing selects one. */
                directory?: string;
                /** @description Id of the project. */
                project?: string;
                /** @description The same by its other name. */
                projectID?: string;
            };
            header?: {
                /** @description As `directory`, which wins; percent-encoded if it is not ASCII. */
                "x-openscience-directory"?: string;
                /** @description As `project`, which wins. */
                "x-openscience-project"?: string;
            };
            path: {
                id: components["schemas"]["SessionId"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description How many. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Withdrawn"];
                };
            };
            /** @description The request or the directory is not valid. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The bearer token is missing or wrong. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The Host name or the origin is not allowed. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The project, or what the request names, does not exist. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description run_not_owned with the `url` that can. */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The directory of the project is gone. */
            410: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description A failure of the daemon; its log knows more. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The daemon shuts down or its store is unavailable. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description Any other refusal, such as 405 for a method the path does not have. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
        };
    };
    "queue.get": {
        parameters: {
            query?: {
                /** @description Absolute directory of the project; the daemon's own if nothing selects one. */
                directory?: string;
                /** @description Id of the project. */
                project?: string;
                /** @description The same by its other name. */
                projectID?: string;
            };
            header?: {
                /** @description As `directory`, which wins; percent-encoded if it is not ASCII. */
                "x-openscience-directory"?: string;
                /** @description As `project`, which wins. */
                "x-openscience-project"?: string;
            };
            path: {
                id: components["schemas"]["SessionId"];
                turnID: components["schemas"]["TurnId"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The turn. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["QueuedTurn"];
                };
            };
            /** @description The request or the directory is not valid. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The bearer token is missing or wrong. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The Host name or the origin is not allowed. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description session_not_found or turn_not_found. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description turn_not_queued: it does not wait any more. */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The directory of the project is gone. */
            410: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description A failure of the daemon; its log knows more. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The daemon shuts down or its store is unavailable. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description Any other refusal, such as 405 for a method the path does not have. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
        };
    };
    "queue.withdraw": {
        parameters: {
            query?: {
                /** @description Absolute directory of the project; the daemon's own if nothing selects one. */
                directory?: string;
                /** @description Id of the project. */
                project?: string;
                /** @description The same by its other name. */
                projectID?: string;
            };
            header?: {
                /** @description As `directory`, which wins; percent-encoded if it is not ASCII. */
                "x-openscience-directory"?: string;
                /** @description As `project`, which wins. */
                "x-openscience-project"?: string;
            };
            path: {
                id: components["schemas"]["SessionId"];
                turnID: components["schemas"]["TurnId"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The turn as it is now. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RunTurn"];
                };
            };
            /** @description The request or the directory is not valid. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The bearer token is missing or wrong. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The Host name or the origin is not allowed. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description session_not_found or turn_not_found. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description turn_not_queued, or run_not_owned with the `url` that can. */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The directory of the project is gone. */
            410: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description A failure of the daemon; its log knows more. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The daemon shuts down or its store is unavailable. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description Any other refusal, such as 405 for a method the path does not have. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
        };
    };
    "queue.send": {
        parameters: {
            query?: {
                /** @description Absolute directory of the project; the daemon's own if nothing selects one. */
                directory?: string;
                /** @description Id of the project. */
                project?: string;
                /** @description The same by its other name. */
                projectID?: string;
            };
            header?: {
                /** @description As `directory`, which wins; percent-encoded if it is not ASCII. */
                "x-openscience-directory"?: string;
                /** @description As `project`, which wins. */
                "x-openscience-project"?: string;
            };
            path: {
                id: components["schemas"]["SessionId"];
                turnID: components["schemas"]["TurnId"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The turn, which is next now. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RunTurn"];
                };
            };
            /** @description The request or the directory is not valid. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The bearer token is missing or wrong. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The Host name or the origin is not allowed. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description session_not_found or turn_not_found. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description turn_not_queued, or run_not_owned with the `url` that can. */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The directory of the project is gone. */
            410: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description A failure of the daemon; its log knows more. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The daemon shuts down or its store is unavailable. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description Any other refusal, such as 405 for a method the path does not have. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
        };
    };
    "session.resume": {
        parameters: {
            query?: {
                /** @description Absolute directory of the project; the daemon's own if nothing selects one. */
                directory?: string;
                /** @description Id of the project. */
                project?: string;
                /** @description The same by its other name. */
                projectID?: string;
            };
            header?: {
                /** @description As `directory`, which wins; percent-encoded if it is not ASCII. */
                "x-openscience-directory"?: string;
                /** @description As `project`, which wins. */
                "x-openscience-project"?: string;
            };
            path: {
                id: components["schemas"]["SessionId"];
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["OpenBody"];
            };
        };
        responses: {
            /** @description The agent as it is now. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SessionAgent"];
                };
            };
            /** @description invalid_request or system_prompt_unsupported. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The bearer token is missing or wrong. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The Host name or the origin is not allowed. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The project, or what the request names, does not exist. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The body did not come on for a minute. */
            408: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description session_busy, agent_session_missing, method_not_supported or auth_required. */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The directory of the project is gone. */
            410: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The body is longer than `limit` bytes. */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The body is not application/json. */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description A failure of the daemon; its log knows more. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The agent could not be started or asked, or refused. */
            502: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The daemon shuts down or its store is unavailable. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description Any other refusal, such as 405 for a method the path does not have. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
        };
    };
    "state.get": {
        parameters: {
            query?: {
                /** @description Absolute directory of the project; the daemon's own if nothing selects one. */
                directory?: string;
                /** @description Id of the project. */
                project?: string;
                /** @description The same by its other name. */
                projectID?: string;
            };
            header?: {
                /** @description As `directory`, which wins; percent-encoded if it is not ASCII. */
                "x-openscience-directory"?: string;
                /** @description As `project`, which wins. */
                "x-openscience-project"?: string;
            };
            path: {
                id: components["schemas"]["SessionId"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The read model. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SessionState"];
                };
            };
            /** @description The request or the directory is not valid. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The bearer token is missing or wrong. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The Host name or the origin is not allowed. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The project, or what the request names, does not exist. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The directory is not that of the project, or see the code. */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The directory of the project is gone. */
            410: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description A failure of the daemon; its log knows more. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The daemon shuts down or its store is unavailable. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description Any other refusal, such as 405 for a method the path does not have. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
        };
    };
    "state.diffs": {
        parameters: {
            query?: {
                /** @description Only the change of that path. */
                path?: string;
                /** @description Absolute directory of the project; the daemon's own if nothing selects one. */
                directory?: string;
                /** @description Id of the project. */
                project?: string;
                /** @description The same by its other name. */
                projectID?: string;
            };
            header?: {
                /** @description As `directory`, which wins; percent-encoded if it is not ASCII. */
                "x-openscience-directory"?: string;
                /** @description As `project`, which wins. */
                "x-openscience-project"?: string;
            };
            path: {
                id: components["schemas"]["SessionId"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Changes. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["StateDiff"][];
                };
            };
            /** @description The request or the directory is not valid. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The bearer token is missing or wrong. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The Host name or the origin is not allowed. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The project, or what the request names, does not exist. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The directory is not that of the project, or see the code. */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The directory of the project is gone. */
            410: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description A failure of the daemon; its log knows more. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The daemon shuts down or its store is unavailable. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description Any other refusal, such as 405 for a method the path does not have. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
        };
    };
    "state.events": {
        parameters: {
            query?: {
                /** @description Absolute directory of the project; the daemon's own if nothing selects one. */
                directory?: string;
                /** @description Id of the project. */
                project?: string;
                /** @description The same by its other name. */
                projectID?: string;
            };
            header?: {
                /** @description As `directory`, which wins; percent-encoded if it is not ASCII. */
                "x-openscience-directory"?: string;
                /** @description As `project`, which wins. */
                "x-openscience-project"?: string;
            };
            path: {
                id: components["schemas"]["SessionId"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Frames of updates. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/event-stream": components["schemas"]["StateEvent"];
                };
            };
            /** @description The request or the directory is not valid. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The bearer token is missing or wrong. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The Host name or the origin is not allowed. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The project, or what the request names, does not exist. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The directory is not that of the project, or see the code. */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The directory of the project is gone. */
            410: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description too_many_subscribers: come back after `Retry-After` seconds. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description A failure of the daemon; its log knows more. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The daemon shuts down or its store is unavailable. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description Any other refusal, such as 405 for a method the path does not have. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
        };
    };
    "state.metadata": {
        parameters: {
            query?: {
                /** @description Absolute directory of the project; the daemon's own if nothing selects one. */
                directory?: string;
                /** @description Id of the project. */
                project?: string;
                /** @description The same by its other name. */
                projectID?: string;
            };
            header?: {
                /** @description As `directory`, which wins; percent-encoded if it is not ASCII. */
                "x-openscience-directory"?: string;
                /** @description As `project`, which wins. */
                "x-openscience-project"?: string;
            };
            path: {
                id: components["schemas"]["SessionId"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Metadata. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["StateMetadata"];
                };
            };
            /** @description The request or the directory is not valid. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The bearer token is missing or wrong. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The Host name or the origin is not allowed. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The project, or what the request names, does not exist. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The directory is not that of the project, or see the code. */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The directory of the project is gone. */
            410: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description A failure of the daemon; its log knows more. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The daemon shuts down or its store is unavailable. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description Any other refusal, such as 405 for a method the path does not have. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
        };
    };
    "state.operations": {
        parameters: {
            query?: {
                /** @description Absolute directory of the project; the daemon's own if nothing selects one. */
                directory?: string;
                /** @description Id of the project. */
                project?: string;
                /** @description The same by its other name. */
                projectID?: string;
            };
            header?: {
                /** @description As `directory`, which wins; percent-encoded if it is not ASCII. */
                "x-openscience-directory"?: string;
                /** @description As `project`, which wins. */
                "x-openscience-project"?: string;
            };
            path: {
                id: components["schemas"]["SessionId"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Operations. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OperationBundle"][];
                };
            };
            /** @description The request or the directory is not valid. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The bearer token is missing or wrong. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The Host name or the origin is not allowed. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The project, or what the request names, does not exist. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The directory is not that of the project, or see the code. */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The directory of the project is gone. */
            410: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description A failure of the daemon; its log knows more. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The daemon shuts down or its store is unavailable. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description Any other refusal, such as 405 for a method the path does not have. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
        };
    };
    "state.operation": {
        parameters: {
            query?: {
                /** @description Absolute directory of the project; the daemon's own if nothing selects one. */
                directory?: string;
                /** @description Id of the project. */
                project?: string;
                /** @description The same by its other name. */
                projectID?: string;
            };
            header?: {
                /** @description As `directory`, which wins; percent-encoded if it is not ASCII. */
                "x-openscience-directory"?: string;
                /** @description As `project`, which wins. */
                "x-openscience-project"?: string;
            };
            path: {
                id: components["schemas"]["SessionId"];
                operationID: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The operation. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OperationBundle"];
                };
            };
            /** @description The request or the directory is not valid. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The bearer token is missing or wrong. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The Host name or the origin is not allowed. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description session_not_found or operation_not_found. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The directory is not that of the project, or see the code. */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The directory of the project is gone. */
            410: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description A failure of the daemon; its log knows more. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The daemon shuts down or its store is unavailable. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description Any other refusal, such as 405 for a method the path does not have. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
        };
    };
    "state.permissions": {
        parameters: {
            query?: {
                /** @description Absolute directory of the project; the daemon's own if nothing selects one. */
                directory?: string;
                /** @description Id of the project. */
                project?: string;
                /** @description The same by its other name. */
                projectID?: string;
            };
            header?: {
                /** @description As `directory`, which wins; percent-encoded if it is not ASCII. */
                "x-openscience-directory"?: string;
                /** @description As `project`, which wins. */
                "x-openscience-project"?: string;
            };
            path: {
                id: components["schemas"]["SessionId"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Permissions, oldest first. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["StatePermission"][];
                };
            };
            /** @description The request or the directory is not valid. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The bearer token is missing or wrong. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The Host name or the origin is not allowed. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The project, or what the request names, does not exist. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The directory is not that of the project, or see the code. */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The directory of the project is gone. */
            410: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description A failure of the daemon; its log knows more. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The daemon shuts down or its store is unavailable. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description Any other refusal, such as 405 for a method the path does not have. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
        };
    };
    "state.permission": {
        parameters: {
            query?: {
                /** @description Absolute directory of the project; the daemon's own if nothing selects one. */
                directory?: string;
                /** @description Id of the project. */
                project?: string;
                /** @description The same by its other name. */
                projectID?: string;
            };
            header?: {
                /** @description As `directory`, which wins; percent-encoded if it is not ASCII. */
                "x-openscience-directory"?: string;
                /** @description As `project`, which wins. */
                "x-openscience-project"?: string;
            };
            path: {
                id: components["schemas"]["SessionId"];
                requestID: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The permission. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["StatePermission"];
                };
            };
            /** @description The request or the directory is not valid. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The bearer token is missing or wrong. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The Host name or the origin is not allowed. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description session_not_found or permission_not_found. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The directory is not that of the project, or see the code. */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The directory of the project is gone. */
            410: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description A failure of the daemon; its log knows more. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The daemon shuts down or its store is unavailable. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description Any other refusal, such as 405 for a method the path does not have. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
        };
    };
    "state.terminals": {
        parameters: {
            query?: {
                /** @description Absolute directory of the project; the daemon's own if nothing selects one. */
                directory?: string;
                /** @description Id of the project. */
                project?: string;
                /** @description The same by its other name. */
                projectID?: string;
            };
            header?: {
                /** @description As `directory`, which wins; percent-encoded if it is not ASCII. */
                "x-openscience-directory"?: string;
                /** @description As `project`, which wins. */
                "x-openscience-project"?: string;
            };
            path: {
                id: components["schemas"]["SessionId"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Terminals, oldest first. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["StateTerminal"][];
                };
            };
            /** @description The request or the directory is not valid. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The bearer token is missing or wrong. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The Host name or the origin is not allowed. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The project, or what the request names, does not exist. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The directory is not that of the project, or see the code. */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The directory of the project is gone. */
            410: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description A failure of the daemon; its log knows more. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The daemon shuts down or its store is unavailable. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description Any other refusal, such as 405 for a method the path does not have. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
        };
    };
    "state.terminal": {
        parameters: {
            query?: {
                /** @description Absolute directory of the project; the daemon's own if nothing selects one. */
                directory?: string;
                /** @description Id of the project. */
                project?: string;
                /** @description The same by its other name. */
                projectID?: string;
            };
            header?: {
                /** @description As `directory`, which wins; percent-encoded if it is not ASCII. */
                "x-openscience-directory"?: string;
                /** @description As `project`, which wins. */
                "x-openscience-project"?: string;
            };
            path: {
                id: components["schemas"]["SessionId"];
                terminalID: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The terminal. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["StateTerminal"];
                };
            };
            /** @description The request or the directory is not valid. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The bearer token is missing or wrong. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The Host name or the origin is not allowed. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description session_not_found or terminal_not_found. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The directory is not that of the project, or see the code. */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The directory of the project is gone. */
            410: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description A failure of the daemon; its log knows more. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The daemon shuts down or its store is unavailable. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description Any other refusal, such as 405 for a method the path does not have. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
        };
    };
    "state.kill": {
        parameters: {
            query?: {
                /** @description Absolute directory of the project; the daemon's own if nothing selects one. */
                directory?: string;
                /** @description Id of the project. */
                project?: string;
                /** @description The same by its other name. */
                projectID?: string;
            };
            header?: {
                /** @description As `directory`, which wins; percent-encoded if it is not ASCII. */
                "x-openscience-directory"?: string;
                /** @description As `project`, which wins. */
                "x-openscience-project"?: string;
            };
            path: {
                id: components["schemas"]["SessionId"];
                terminalID: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The terminal. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["StateTerminal"];
                };
            };
            /** @description The request or the directory is not valid. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The bearer token is missing or wrong. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The Host name or the origin is not allowed. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description session_not_found or terminal_not_found. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The directory is not that of the project, or see the code. */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The directory of the project is gone. */
            410: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description A failure of the daemon; its log knows more. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The daemon shuts down or its store is unavailable. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description Any other refusal, such as 405 for a method the path does not have. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
        };
    };
    "state.refresh": {
        parameters: {
            query?: {
                /** @description Absolute directory of the project; the daemon's own if nothing selects one. */
                directory?: string;
                /** @description Id of the project. */
                project?: string;
                /** @description The same by its other name. */
                projectID?: string;
            };
            header?: {
                /** @description As `directory`, which wins; percent-encoded if it is not ASCII. */
                "x-openscience-directory"?: string;
                /** @description As `project`, which wins. */
                "x-openscience-project"?: string;
            };
            path: {
                id: components["schemas"]["SessionId"];
                terminalID: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The terminal. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["StateTerminal"];
                };
            };
            /** @description The request or the directory is not valid. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The bearer token is missing or wrong. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The Host name or the origin is not allowed. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description session_not_found or terminal_not_found. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The directory is not that of the project, or see the code. */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The directory of the project is gone. */
            410: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description A failure of the daemon; its log knows more. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The daemon shuts down or its store is unavailable. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description Any other refusal, such as 405 for a method the path does not have. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
        };
    };
    "state.release": {
        parameters: {
            query?: {
                /** @description Absolute directory of the project; the daemon's own if nothing selects one. */
                directory?: string;
                /** @description Id of the project. */
                project?: string;
                /** @description The same by its other name. */
                projectID?: string;
            };
            header?: {
                /** @description As `directory`, which wins; percent-encoded if it is not ASCII. */
                "x-openscience-directory"?: string;
                /** @description As `project`, which wins. */
                "x-openscience-project"?: string;
            };
            path: {
                id: components["schemas"]["SessionId"];
                terminalID: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The terminal. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["StateTerminal"];
                };
            };
            /** @description The request or the directory is not valid. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The bearer token is missing or wrong. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The Host name or the origin is not allowed. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description session_not_found or terminal_not_found. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The directory is not that of the project, or see the code. */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The directory of the project is gone. */
            410: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description A failure of the daemon; its log knows more. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The daemon shuts down or its store is unavailable. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description Any other refusal, such as 405 for a method the path does not have. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
        };
    };
    "state.wait": {
        parameters: {
            query?: {
                /** @description How long to wait: a minute if absent, ten at most. */
                timeoutMs?: number;
                /** @description Absolute directory of the project; the daemon's own if nothing selects one. */
                directory?: string;
                /** @description Id of the project. */
                project?: string;
                /** @description The same by its other name. */
                projectID?: string;
            };
            header?: {
                /** @description As `directory`, which wins; percent-encoded if it is not ASCII. */
                "x-openscience-directory"?: string;
                /** @description As `project`, which wins. */
                "x-openscience-project"?: string;
            };
            path: {
                id: components["schemas"]["SessionId"];
                terminalID: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The terminal. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["StateTerminal"];
                };
            };
            /** @description The request or the directory is not valid. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The bearer token is missing or wrong. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The Host name or the origin is not allowed. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description session_not_found or terminal_not_found. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The directory is not that of the project, or see the code. */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The directory of the project is gone. */
            410: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description A failure of the daemon; its log knows more. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The daemon shuts down or its store is unavailable. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description Any other refusal, such as 405 for a method the path does not have. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
        };
    };
    "state.threads": {
        parameters: {
            query?: {
                /** @description Absolute directory of the project; the daemon's own if nothing selects one. */
                directory?: string;
                /** @description Id of the project. */
                project?: string;
                /** @description The same by its other name. */
                projectID?: string;
            };
            header?: {
                /** @description As `directory`, which wins; percent-encoded if it is not ASCII. */
                "x-openscience-directory"?: string;
                /** @description As `project`, which wins. */
                "x-openscience-project"?: string;
            };
            path: {
                id: components["schemas"]["SessionId"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Entries. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ThreadEntry"][];
                };
            };
            /** @description The request or the directory is not valid. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The bearer token is missing or wrong. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The Host name or the origin is not allowed. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The project, or what the request names, does not exist. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The directory is not that of the project, or see the code. */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The directory of the project is gone. */
            410: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description A failure of the daemon; its log knows more. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The daemon shuts down or its store is unavailable. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description Any other refusal, such as 405 for a method the path does not have. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
        };
    };
    "state.toolcalls": {
        parameters: {
            query?: {
                /** @description Absolute directory of the project; the daemon's own if nothing selects one. */
                directory?: string;
                /** @description Id of the project. */
                project?: string;
                /** @description The same by its other name. */
                projectID?: string;
            };
            header?: {
                /** @description As `directory`, which wins; percent-encoded if it is not ASCII. */
                "x-openscience-directory"?: string;
                /** @description As `project`, which wins. */
                "x-openscience-project"?: string;
            };
            path: {
                id: components["schemas"]["SessionId"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Calls, oldest first. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ToolCallBundle"][];
                };
            };
            /** @description The request or the directory is not valid. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The bearer token is missing or wrong. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The Host name or the origin is not allowed. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The project, or what the request names, does not exist. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The directory is not that of the project, or see the code. */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The directory of the project is gone. */
            410: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description A failure of the daemon; its log knows more. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The daemon shuts down or its store is unavailable. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description Any other refusal, such as 405 for a method the path does not have. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
        };
    };
    "state.toolcall": {
        parameters: {
            query?: {
                /** @description Absolute directory of the project; the daemon's own if nothing selects one. */
                directory?: string;
                /** @description Id of the project. */
                project?: string;
                /** @description The same by its other name. */
                projectID?: string;
            };
            header?: {
                /** @description As `directory`, which wins; percent-encoded if it is not ASCII. */
                "x-openscience-directory"?: string;
                /** @description As `project`, which wins. */
                "x-openscience-project"?: string;
            };
            path: {
                id: components["schemas"]["SessionId"];
                /** @description Its id in the transcript, or the agent's own, which then means the newest. */
                toolCallID: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The call. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ToolCallBundle"];
                };
            };
            /** @description The request or the directory is not valid. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The bearer token is missing or wrong. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The Host name or the origin is not allowed. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description session_not_found or tool_call_not_found. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The directory is not that of the project, or see the code. */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The directory of the project is gone. */
            410: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description A failure of the daemon; its log knows more. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The daemon shuts down or its store is unavailable. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description Any other refusal, such as 405 for a method the path does not have. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
        };
    };
    "state.usage": {
        parameters: {
            query?: {
                /** @description Absolute directory of the project; the daemon's own if nothing selects one. */
                directory?: string;
                /** @description Id of the project. */
                project?: string;
                /** @description The same by its other name. */
                projectID?: string;
            };
            header?: {
                /** @description As `directory`, which wins; percent-encoded if it is not ASCII. */
                "x-openscience-directory"?: string;
                /** @description As `project`, which wins. */
                "x-openscience-project"?: string;
            };
            path: {
                id: components["schemas"]["SessionId"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Usage. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["StateUsage"];
                };
            };
            /** @description The request or the directory is not valid. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The bearer token is missing or wrong. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The Host name or the origin is not allowed. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The project, or what the request names, does not exist. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The directory is not that of the project, or see the code. */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The directory of the project is gone. */
            410: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description A failure of the daemon; its log knows more. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The daemon shuts down or its store is unavailable. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description Any other refusal, such as 405 for a method the path does not have. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
        };
    };
    "session.todo": {
        parameters: {
            query?: {
                /** @description Absolute directory of the project; the daemon's own if nothing selects one. */
                directory?: string;
                /** @description Id of the project. */
                project?: string;
                /** @description The same by its other name. */
                projectID?: string;
            };
            header?: {
                /** @description As `directory`, which wins; percent-encoded if it is not ASCII. */
                "x-openscience-directory"?: string;
                /** @description As `project`, which wins. */
                "x-openscience-project"?: string;
            };
            path: {
                id: components["schemas"]["SessionId"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Entries of the last plan. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Todo"][];
                };
            };
            /** @description The request or the directory is not valid. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The bearer token is missing or wrong. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The Host name or the origin is not allowed. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The project, or what the request names, does not exist. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The directory is not that of the project, or see the code. */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The directory of the project is gone. */
            410: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description A failure of the daemon; its log knows more. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The daemon shuts down or its store is unavailable. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description Any other refusal, such as 405 for a method the path does not have. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
        };
    };
    "turn.cancel": {
        parameters: {
            query?: {
                /** @description Absolute directory of the project; the daemon's own if nothing selects one. */
                directory?: string;
                /** @description Id of the project. */
                project?: string;
                /** @description The same by its other name. */
                projectID?: string;
            };
            header?: {
                /** @description As `directory`, which wins; percent-encoded if it is not ASCII. */
                "x-openscience-directory"?: string;
                /** @description As `project`, which wins. */
                "x-openscience-project"?: string;
            };
            path: {
                id: components["schemas"]["SessionId"];
                turnID: components["schemas"]["TurnId"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The turn as it is now; its end may follow. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RunTurn"];
                };
            };
            /** @description The request or the directory is not valid. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The bearer token is missing or wrong. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The Host name or the origin is not allowed. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description session_not_found or turn_not_found. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description run_not_owned with the `url` that can. */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The directory of the project is gone. */
            410: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description A failure of the daemon; its log knows more. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The daemon shuts down or its store is unavailable. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description Any other refusal, such as 405 for a method the path does not have. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
        };
    };
    "settings.jobs": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description No jobs. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": Record<string, unknown>[];
                };
            };
            /** @description The bearer token is missing or wrong. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The Host name or the origin is not allowed. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description A failure of the daemon; its log knows more. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description Any other refusal, such as 405 for a method the path does not have. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
        };
    };
}
