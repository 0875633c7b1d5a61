# %% [markdown]
# # A conversation in a notebook
#
# Cells are marked `# %%`: editors such as VS Code, Spyder and Jupyter (with jupytext) run them one by one,
# `python examples/notebook.py` all at once. The daemon lives as long as the kernel.

# %%
from openscience import Resync, RunState, RuntimeEvent, Server, Transcript, text_of

server = Server().start()
client = server.client()
session = client.create_session("Notebook", workspace="project")


# %%
def ask(message: str) -> str:
    """Prompts and prints the answer as it grows. Interrupt the kernel: the run goes on, `catch_up` finds it."""
    cursor = client.snapshot(session["id"])["latestSequence"]
    accepted = client.prompt(session["id"], message)
    return show(cursor, accepted["runID"])


def show(cursor: int, run_id: str) -> str:
    transcript = Transcript()
    with client.follow(session["id"], after_sequence=cursor) as items:
        for item in items:
            if isinstance(item, RuntimeEvent):
                print(transcript.apply(item), end="", flush=True)
                if item.is_terminal and item.run_id == run_id:
                    break
            elif isinstance(item, Resync):
                # Events are gone for good: the transcript has everything.
                break
    print()
    run = client.wait(session["id"], run_id)
    if run["state"] != RunState.COMPLETED:
        return f"{run['state']}: {run.get('error')}"
    return text_of(client.result(run))


def catch_up() -> str:
    """What became of the newest run."""
    snapshot = client.snapshot(session["id"])
    return show(snapshot["oldestSequence"] - 1, snapshot["runs"][-1]["runID"])


# %%
answer = ask("say 12 20")

# %%
again = catch_up()
assert again == answer

# %%
for message in client.messages(session["id"]):
    print(f"{message['info']['role']}: {text_of(message)}")

# %%
client.close()
server.close()
